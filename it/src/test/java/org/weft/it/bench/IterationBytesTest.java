package org.weft.it.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.decomposition.cp.Cpd;
import org.weft.it.differential.RealTensors;
import org.weft.jobs.generate.TensorModel;
import org.weft.planner.JobPlan;
import org.weft.planner.Planner;
import org.weft.planner.PlannerOptions;
import org.weft.planner.machine.Resources;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.tensor.statistics.TensorStatistics;

/**
 * Bytes that an iteration of CP-ALS moves, counted exactly for a tensor and a number of executors
 * that are not there: as Weft plans it, and by the medium-grained decomposition. The whole table is
 * made by {@code mvn verify -pl it -am -Pbench -DskipTests -Dit.test=IterationBytesTest}.
 */
class IterationBytesTest {
  private static final Path TABLE = Path.of("measured", "iteration.tsv");
  private static final int RANK = 16;
  private static final double ROW_BYTES = RANK * Double.BYTES;
  private static final List<Integer> EXECUTORS = List.of(4, 16, 64, 256, 1024);
  private static final List<String> REAL =
      List.of(
          "openflights-airline-src-dst-equip", "fb15k237", "retrosheet-batter-pitcher-year-stat");

  /** A tensor of the table. */
  private record Subject(String name, TensorShape shape, CooBlock entries) {
    static Subject of(String name) {
      String file = RealTensors.fileOrSkip(name).toUri().toString();
      FileAccess files = FileAccess.of(new Configuration());
      TensorFiles.AllEntries all =
          TensorFiles.readAll(files, TensorFiles.open(files, file, ReadOptions.defaults(), 0));
      CooBlock entries = CooBlock.concat(all.blocks());
      long[] sizes = new long[entries.order()];
      for (int mode = 0; mode < sizes.length; mode++) {
        for (int e = 0; e < entries.size(); e++) {
          sizes[mode] = Math.max(sizes[mode], entries.coordinate(mode, e) + 1);
        }
      }
      return new Subject(name.replaceFirst("-.*", ""), TensorShape.of(sizes), entries);
    }

    static Subject zipf(String name, double exponent, int entries, long... sizes) {
      TensorShape shape = TensorShape.of(sizes);
      CooBlock.Builder block = new CooBlock.Builder(sizes.length, entries);
      List<Double> exponents = java.util.Collections.nCopies(sizes.length, exponent);
      new TensorModel(name, shape, entries, exponents).generate(1, block::add);
      return new Subject(name, shape, block.build());
    }
  }

  /** The cells of one row. */
  private static List<String> row(TensorCompiler compiler, Subject subject, int executors) {
    TensorShape shape = subject.shape();
    CooBlock entries = subject.entries();
    TensorStatistics statistics = TensorStatistics.builder(shape.order()).add(entries).build(shape);
    JobPlan plan =
        new Planner(compiler, PlannerOptions.defaults().withPartitions(executors))
            .plan(
                new Cpd(RANK, 10, 0, false, 1, ValueType.DOUBLE).job(shape),
                statistics,
                new Resources(executors, 1, 1, 1L << 34));
    RowsByNeed need = new RowsByNeed(plan, executors);
    MediumGrained medium = MediumGrained.of(entries, shape, executors);
    long mediumRows = medium.rows(entries, shape);
    long needed = need.needed(entries);
    long driver = need.throughDriver();
    String predicted = megabytes(plan.predicted().step("merge").orElseThrow().bytesMoved());
    double ratio = (double) (needed + driver) / Math.max(1, mediumRows);
    return List.of(
        subject.name(),
        Integer.toString(executors),
        java.util.Arrays.toString(medium.grid()).replaceAll("[\\[\\]]", "").replace(", ", " x "),
        megabytes(mediumRows * ROW_BYTES),
        megabytes(needed * ROW_BYTES),
        predicted,
        megabytes(driver * ROW_BYTES),
        String.format(Locale.ROOT, "%.2f", ratio));
  }

  private static String megabytes(double bytes) {
    return String.format(Locale.ROOT, "%.3f", bytes / 1e6);
  }

  @Test
  void theTableSaysWhatIsCounted() throws IOException {
    Subject flights = Subject.of(REAL.get(0));
    List<String> lines = Files.readAllLines(TABLE);
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      assertThat(lines).contains(String.join("\t", row(compiler, flights, 4)));
      assertThat(lines).contains(String.join("\t", row(compiler, flights, 64)));
    }
  }

  /** Where modes do not depend on one another, as the plan supposes. */
  @Test
  void neededIsPredicted() {
    Subject zipf = Subject.zipf("zipf", 0.9, 100_000, 20_000, 10_000, 5_000);
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      for (int executors : new int[] {4, 16}) {
        List<String> row = row(compiler, zipf, executors);
        double needed = Double.parseDouble(row.get(4));
        assertThat(Double.parseDouble(row.get(5)) / needed).isBetween(0.9, 1.1);
      }
    }
  }

  @Test
  void gridsAreThoseOfTheSource() {
    TensorShape long2 = TensorShape.of(533_000, 17_300_000, 2_500_000);
    assertThat(MediumGrained.grid(long2, 16)).containsExactly(1, 8, 2);
    assertThat(MediumGrained.grid(TensorShape.of(2_900_000, 2_100_000, 25_500_000), 16))
        .containsExactly(1, 1, 16);
    assertThat(MediumGrained.cuts(new long[] {5, 1, 1, 1, 5, 1, 1, 1}, 2)).containsExactly(0, 4, 8);
  }

  /** Two processes, of which each touches what it owns but for one row. */
  @Test
  void rowsAreCountedByHand() {
    CooBlock.Builder block = new CooBlock.Builder(2, 5);
    block.add(new long[] {0, 0}, 1);
    block.add(new long[] {1, 1}, 1);
    block.add(new long[] {2, 1}, 1);
    block.add(new long[] {3, 2}, 1);
    TensorShape shape = TensorShape.of(4, 3);
    CooBlock entries = block.build();
    MediumGrained two = MediumGrained.of(entries, shape, 2);
    assertThat(two.grid()).containsExactly(2, 1);
    assertThat(two.rows(entries, shape)).isEqualTo(2);
  }

  @Test
  @Tag("bench")
  void make() throws IOException {
    List<Subject> subjects = new ArrayList<>();
    REAL.forEach(name -> subjects.add(Subject.of(name)));
    subjects.add(Subject.zipf("zipf-0.7", 0.7, 2_000_000, 200_000, 100_000, 50_000));
    subjects.add(Subject.zipf("zipf-1.1", 1.1, 2_000_000, 200_000, 100_000, 50_000));
    List<String> lines =
        new ArrayList<>(
            List.of(
                "# title: Bytes of an iteration beside the medium-grained decomposition",
                "# machine: any; nothing is timed",
                "# date: 2026-11-25",
                "# versions: Weft 0.1.0-SNAPSHOT",
                "# command: mvn verify -pl it -am -Pbench -DskipTests -Dit.test=IterationBytesTest",
                "# note: CP-ALS of rank 16 in double precision, counted entry by entry for executors"
                    + " that are not there. All columns but the last are in MB. `medium` sends"
                    + " partial rows to their owners and new rows back, on SPLATT's grid. Weft's"
                    + " executors get the rows that their entries need from those that make them:"
                    + " `needed`. The plan's `predicted` bytes suppose that modes do not depend on one"
                    + " another. Rows of split slices are counted as if every piece sent them to one"
                    + " place, and that sent them to all executors: `driver`. `of_medium` is the sum of"
                    + " `needed` and `driver` per `medium`.",
                "tensor\texecutors\tgrid\tmedium\tneeded\tpredicted\tdriver\tof_medium"));
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      for (Subject subject : subjects) {
        for (int executors : EXECUTORS) {
          lines.add(String.join("\t", row(compiler, subject, executors)));
        }
      }
    }
    Files.write(TABLE, lines);
  }
}
