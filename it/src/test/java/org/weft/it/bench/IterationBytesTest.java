package org.weft.it.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.local.LocalBackend;
import org.weft.engine.order.RowOwners;
import org.weft.it.differential.RealTensors;
import org.weft.jobs.generate.SyntheticModel;
import org.weft.planner.Forms;
import org.weft.planner.JobPlan;
import org.weft.planner.Planner;
import org.weft.planner.PlannerOptions;
import org.weft.planner.machine.Resources;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Bytes that an iteration of CP-ALS moves, counted exactly for a tensor and a number of executors
 * that are not there: as Weft plans it, and by the medium-grained decomposition. The table keeps
 * its head; its rows are made by {@code mvn verify -pl it -am -Pbench -DskipTests
 * -Dit.test=IterationBytesTest}.
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
      FileAccess files = FileAccess.local();
      TensorFiles.AllEntries all =
          TensorFiles.readAll(files, TensorFiles.open(files, file, ReadOptions.defaults()));
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
      new SyntheticModel(name, shape, entries, exponents).generate(1, block::add);
      return new Subject(name, shape, block.build());
    }
  }

  /** The cells of one row. */
  private static List<String> row(TensorCompiler compiler, Subject subject, int executors) {
    CooBlock entries = subject.entries();
    JobPlan ranges = plan(compiler, subject, executors, Forms.ALL);
    JobPlan tiles = plan(compiler, subject, executors, Forms.GRID);
    MediumGrained medium = MediumGrained.of(entries, subject.shape(), executors);
    long mediumRows = medium.rows(entries, subject.shape());
    long tiled = tiled(tiles, subject, executors);
    return List.of(
        subject.name(),
        Integer.toString(executors),
        java.util.Arrays.toString(medium.grid()).replaceAll("[\\[\\]]", "").replace(", ", " x "),
        megabytes(mediumRows * ROW_BYTES),
        megabytes(rows(ranges, entries, executors) * ROW_BYTES),
        predicted(ranges),
        String.valueOf(tiles.modes().get(0).partitioning().grid()),
        megabytes(tiled * ROW_BYTES),
        predicted(tiles),
        String.format(Locale.ROOT, "%.2f", (double) tiled / Math.max(1, mediumRows)));
  }

  private static JobPlan plan(
      TensorCompiler compiler, Subject subject, int executors, Forms forms) {
    TensorShape shape = subject.shape();
    return new Planner(
            compiler, PlannerOptions.defaults().withPartitions(executors).withForms(forms))
        .plan(
            new Cpd(RANK, 10, 0, false, 1, ValueType.DOUBLE).job(shape),
            TensorStatistics.builder(shape.order()).sampling().add(subject.entries()).build(shape),
            new Resources(executors, 1, 1, 1L << 34));
  }

  private static long rows(JobPlan plan, CooBlock entries, int executors) {
    RowsByNeed rows = new RowsByNeed(plan, entries, executors);
    return rows.needed() + rows.added();
  }

  /** As an engine runs a plan on tiles: rows are those of tiles that have entries of them. */
  private static long tiled(JobPlan plan, Subject subject, int executors) {
    FileAccess files = FileAccess.local();
    try (Engine engine = LocalBackend.engine(files, EngineOptions.defaults())) {
      EngineTensor tensor =
          engine.of("x", subject.shape(), List.of(subject.entries()), ValueType.DOUBLE);
      RowOwners owners = RowOwners.of(plan, tensor::entries, null).orElseThrow();
      CooBlock numbered = owners.relabelling().apply(subject.entries());
      return rows(plan.numbered(plan.statistics(), owners.partitionings()), numbered, executors);
    }
  }

  private static String predicted(JobPlan plan) {
    return megabytes(plan.predicted().step("merge").orElseThrow().bytesMoved());
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
    assertThat(lines.stream().filter(line -> line.matches("\\w.*\\d")))
        .as("tiles exchange no more than the medium-grained decomposition")
        .allSatisfy(
            line -> assertThat(line.substring(line.lastIndexOf('\t') + 1)).isBetween("0", "1.00"));
  }

  /**
   * Where modes do not depend on one another, whose slices have from one to thousands of entries.
   * Tiles exchange no more than the medium-grained decomposition.
   */
  @Test
  void neededIsPredicted() {
    Subject zipf = Subject.zipf("zipf", 0.9, 100_000, 20_000, 10_000, 5_000);
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      for (int executors : new int[] {4, 16}) {
        List<String> row = row(compiler, zipf, executors);
        for (int found : new int[] {4, 7}) {
          double counted = Double.parseDouble(row.get(found));
          assertThat(Double.parseDouble(row.get(found + 1)) / counted).isBetween(0.9, 1.1);
        }
        assertThat(Double.parseDouble(row.get(9))).as("%s", row).isLessThanOrEqualTo(1);
      }
    }
  }

  @Test
  void gridsAreThoseOfTheSource() {
    TensorShape long2 = TensorShape.of(533_000, 17_300_000, 2_500_000);
    assertThat(MediumGrained.grid(long2, 16)).containsExactly(1, 8, 2);
    assertThat(MediumGrained.grid(TensorShape.of(2_900_000, 2_100_000, 25_500_000), 16))
        .containsExactly(1, 1, 16);
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
            Files.readAllLines(TABLE).stream().filter(line -> line.startsWith("#")).toList());
    lines.add(
        "tensor\texecutors\tmedium_grid\tmedium\tranges\tpredicted\tgrid\ttiles"
            + "\tpredicted_tiles\tof_medium");
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
