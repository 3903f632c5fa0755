package org.weft.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.planner.job.Job;
import org.weft.planner.kernel.Merge;
import org.weft.planner.machine.Resources;
import org.weft.planner.partition.ModePartitioning;
import org.weft.runtime.KernelImage;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** The rows that executors exchange, predicted and counted one by one. */
class NeededRowsTest {
  private static final int RANK = 4;
  private static final int SEEDS = Boolean.getBoolean("weft.long") ? 3 : 1;
  private static final int UNIT = (1 << 17) / RANK;
  private static final double WITHIN = 10;
  private static final KernelImage NO_CODE =
      KernelImage.of(new byte[100], "0123456789abcdef", "x86-64-v3", List.of());

  /**
   * Tensors by how their modes depend on one another. In a grid, a sample tells nothing of modes
   * that depend on one another within a slice. In ranges, which are narrower than the sample's
   * blocks where these have many entries, it cannot tell many slices from few of many entries.
   */
  enum Entries {
    INDEPENDENT(WITHIN, WITHIN),
    ALONG_A_DIAGONAL(WITHIN, 30),
    IN_CLUSTERS(WITHIN, 60),
    OF_FEW_PAIRS(WITHIN, WITHIN),
    IN_CLUSTERS_OF_UNEQUAL_SLICES(20, 30),
    OF_EACH_SLICE_IN_ONE_PLACE(WITHIN, WITHIN),
    WITH_FEW_SLICES(WITHIN, WITHIN),
    WITH_FEW_SLICES_IN_CLUSTERS(WITHIN, 60);

    private final double inRanges;
    private final double inTiles;

    Entries(double inRanges, double inTiles) {
      this.inRanges = inRanges;
      this.inTiles = inTiles;
    }

    long[] at(Random random, long[] sizes) {
      double first = random.nextDouble();
      return switch (this) {
        case INDEPENDENT -> at(sizes, first, random.nextDouble(), random.nextDouble());
        case ALONG_A_DIAGONAL ->
            at(sizes, first, near(first, 0.02, random), near(first, 0.1, random));
        case IN_CLUSTERS -> {
          double cluster = Math.floor(first * 37) / 37;
          yield at(
              sizes,
              first,
              near(cluster, 1.0 / 37, random),
              random.nextInt(5) == 0 ? random.nextDouble() : near(cluster, 0.1, random));
        }
        case OF_FEW_PAIRS -> {
          Random pair = new Random((long) (first * 6_000));
          yield at(sizes, pair.nextDouble(), pair.nextDouble(), random.nextDouble());
        }
        case IN_CLUSTERS_OF_UNEQUAL_SLICES -> {
          double skewed = first * first * first;
          double cluster = Math.floor(skewed * 60) / 60;
          yield at(sizes, skewed, near(cluster, 0.05, random), near(1 - cluster, 0.3, random));
        }
        case OF_EACH_SLICE_IN_ONE_PLACE -> {
          Random slice = new Random((long) (first * sizes[0]));
          double place = slice.nextDouble();
          yield at(sizes, first, near(place, 0.03, random), near(place, 0.2, random));
        }
        case WITH_FEW_SLICES -> at(sizes, first, few(random.nextDouble()), random.nextDouble());
        case WITH_FEW_SLICES_IN_CLUSTERS -> {
          double cluster = Math.floor(first * 37) / 37;
          yield at(sizes, first, few(near(cluster, 0.4, random)), near(cluster, 0.1, random));
        }
      };
    }

    /** One of 23 places, of which some are ten times as frequent as others. */
    private static double few(double at) {
      return Math.floor(at * at * 23) / 23;
    }

    private static double near(double from, double width, Random random) {
      double at = from + width * random.nextDouble();
      return at < 1 ? at : at - 1;
    }

    private static long[] at(long[] sizes, double... places) {
      long[] at = new long[places.length];
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = (long) (places[mode] * sizes[mode]);
      }
      return at;
    }
  }

  private static CooBlock block(Entries entries, long seed, int count, long[] sizes) {
    Random random = new Random(seed);
    CooBlock.Builder block = new CooBlock.Builder(sizes.length, count);
    for (int e = 0; e < count; e++) {
      block.add(entries.at(random, sizes), 1);
    }
    return block.build();
  }

  @ParameterizedTest
  @EnumSource(Entries.class)
  void rowsOfRangesAndOfOneFormAndOfTiles(Entries entries) {
    long[] sizes = {2_500, 1_700, 3_000};
    List<String> wrong = new ArrayList<>();
    for (long seed = 1; seed <= SEEDS; seed++) {
      CooBlock block = block(entries, seed, 60_000, sizes);
      TensorStatistics s = TensorStatistics.builder(3).sampling().add(block).build(shape(sizes));
      for (Forms forms : List.of(Forms.ALL, Forms.ONE, Forms.GRID)) {
        for (int executors : new int[] {2, 4, 16, 64, 256}) {
          JobPlan plan = plan(s, forms, executors);
          double predicted = predicted(plan);
          double counted = counted(plan, block, executors);
          double within = forms == Forms.GRID ? entries.inTiles : entries.inRanges;
          if (Math.abs(predicted / counted - 1) > within / 100) {
            wrong.add(
                String.format(
                    Locale.ROOT,
                    "%s on %d executors, seed %d: predicted %,.0f rows, counted %,.0f (%.2f)",
                    forms,
                    executors,
                    seed,
                    predicted,
                    counted,
                    predicted / counted));
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Without a sample, modes are supposed not to depend on one another. */
  @Test
  void independentModesNeedNoSample() {
    long[] sizes = {2_500, 1_700, 3_000};
    CooBlock block = block(Entries.INDEPENDENT, 5, 60_000, sizes);
    TensorStatistics s = TensorStatistics.builder(3).add(block).build(shape(sizes));
    for (Forms forms : List.of(Forms.ALL, Forms.ONE, Forms.GRID)) {
      JobPlan plan = plan(s, forms, 8);
      assertThat(predicted(plan))
          .as("%s", forms)
          .isCloseTo(counted(plan, block, 8), withinPercentage(WITHIN));
    }
  }

  private static TensorShape shape(long[] sizes) {
    return TensorShape.of(sizes);
  }

  private static JobPlan plan(TensorStatistics s, Forms forms, int executors) {
    PlannerOptions options = PlannerOptions.defaults().withForms(forms).withPartitions(executors);
    Job job = Job.mttkrps("cpd", s.shape().order(), RANK, List.of(), 10, ValueType.DOUBLE);
    return new Planner(requests -> NO_CODE, options)
        .plan(job, s, new Resources(executors, 1, 1, 4L << 30));
  }

  private static double predicted(JobPlan plan) {
    return plan.predicted().step("merge").orElseThrow().bytesMoved() / RANK / Double.BYTES;
  }

  /** One by one: what each executor gets of each mode in an iteration. */
  private static double counted(JobPlan plan, CooBlock block, int executors) {
    int[][] partitions = new int[plan.modes().size()][block.size()];
    for (ModePlan pass : plan.modes()) {
      pass.partitioning().partitionsOf(block, partitions[pass.mode()]);
    }
    double rows = 0;
    for (ModePlan pass : plan.modes()) {
      int mode = pass.mode();
      boolean tiles = pass.partitioning().grid() != null;
      BitSet parts = new BitSet();
      BitSet reads = new BitSet();
      BitSet all = new BitSet();
      for (int e = 0; e < block.size(); e++) {
        int row = (int) block.coordinate(mode, e);
        all.set(row);
        int home = home(pass, row, executors);
        int maker = executor(pass, partitions[mode][e], executors);
        if (tiles || maker != home) {
          parts.set(row * executors + maker);
        }
        for (ModePlan reader : plan.modes()) {
          int place = executor(reader, partitions[reader.mode()][e], executors);
          if (reader != pass && (tiles || place != home)) {
            reads.set(row * executors + place);
          }
        }
      }
      rows += parts.cardinality() + reads.cardinality() - (tiles ? 2 * all.cardinality() : 0);
    }
    return rows;
  }

  private static int executor(ModePlan pass, int partition, int executors) {
    ModePartitioning cut = pass.partitioning();
    return (int) ((long) cut.place(partition) * executors / cut.partitions());
  }

  /** The executor that makes a row: of a range of it alone, or of some units of all rows. */
  private static int home(ModePlan pass, long row, int executors) {
    ModePartitioning cut = pass.partitioning();
    if (pass.kernel().merge() == Merge.SUM) {
      long units = (pass.tensorShape().size(pass.mode()) - 1) / UNIT + 1;
      long ranges = Math.min(units, cut.partitions());
      int range = 0;
      while (range + 1 < ranges && units * (range + 1) / ranges * UNIT <= row) {
        range++;
      }
      return (int) ((long) range * executors / cut.partitions());
    }
    int at = 0;
    while (at + 1 < cut.partitions() && cut.firstRow(at + 1) <= row) {
      at++;
    }
    return (int) ((long) at * executors / cut.partitions());
  }
}
