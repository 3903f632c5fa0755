package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.Ordering;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.job.Job;
import org.weft.planner.partition.PartitionCosts;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** {@code --reorder auto}: whether an order pays. */
class ReorderChoiceTest {
  private static final int SIDE = 6000;

  @TempDir Path folder;

  /** Blocks along the diagonal, shuffled: factors of rank 64 are larger than the cache. */
  private static SparseEntries shuffledBlocks() {
    Random random = new Random(3);
    TensorShape shape = TensorShape.of(SIDE, SIDE, SIDE);
    Relabelling shuffle =
        new Relabelling(Reorderers.named("random:5").reorder(shape, java.util.List.of()));
    SparseEntries entries = SparseEntries.empty(SIDE, SIDE, SIDE);
    for (int e = 0; e < 90_000; e++) {
      long[] at = new long[3];
      int block = random.nextInt(SIDE / 60) * 60;
      for (int m = 0; m < 3; m++) {
        at[m] = shuffle.mode(m).apply(block + random.nextInt(60));
      }
      entries.add(1, at);
    }
    return entries;
  }

  private static Job job(int iterations) {
    return Job.mttkrps("cpd", 3, 64, List.of(), iterations, ValueType.DOUBLE);
  }

  private static Engine engine(boolean reproducible) {
    return SparkEngine.create(
        LocalSpark.context(),
        EngineOptions.defaults().planning(p -> p.withPartitions(2).withReproducible(reproducible)));
  }

  @Test
  void ordersOnlyWhatPaysOverTheIterations() throws IOException {
    try (Engine engine = engine(false)) {
      EngineTensor tensor = shuffledBlocks().read(engine, folder, ValueType.DOUBLE);
      Ordering once = engine.orders().choose(tensor, job(1), 0);
      assertThat(once.relabelling()).isEmpty();
      assertThat(once.reasons()).hasSize(1);
      assertThat(once.reasons().get(0)).contains("auto: no: all kernels take");
      Ordering often = engine.orders().choose(tensor, job(100_000), 0);
      assertThat(often.relabelling()).isPresent();
      assertThat(often.method()).isEqualTo("lexi");
      assertThat(often.reasons()).anyMatch(line -> line.startsWith("auto: lexi on 90,000 entries"));
      EngineTensor ordered = engine.orders().apply(tensor, often, false);
      assertThat(imbalance(engine.plan(ordered, job(10))))
          .isLessThanOrEqualTo(1.05 * imbalance(engine.plan(tensor, job(10))));
      Ordering again = engine.orders().choose(ordered, job(1), 0);
      assertThat(again.relabelling()).isEmpty();
    }
  }

  /** Heaviest partition over the mean, in the pass where that is largest. */
  private static double imbalance(JobPlan plan) {
    double worst = 0;
    for (ModePlan pass : plan.modes()) {
      double most =
          pass.partitions().stream().mapToDouble(PartitionCosts::entries).max().orElseThrow();
      double mean =
          pass.partitions().stream().mapToDouble(PartitionCosts::entries).average().orElseThrow();
      worst = Math.max(worst, most / mean);
    }
    return worst;
  }

  /** Hardly two entries share a slice: whatever the labels, every row is read about once. */
  @Test
  void leavesScatteredEntriesAloneInAnOrdinaryJob() throws IOException {
    Random random = new Random(8);
    SparseEntries entries = SparseEntries.empty(200_000, 200_000, 200_000);
    for (int e = 0; e < 60_000; e++) {
      entries.add(1, random.nextInt(200_000), random.nextInt(200_000), random.nextInt(200_000));
    }
    try (Engine engine = engine(false)) {
      EngineTensor tensor = entries.read(engine, folder, ValueType.DOUBLE);
      for (int iterations : new int[] {1, 10}) {
        Ordering found = engine.orders().choose(tensor, job(iterations), 0);
        assertThat(found.relabelling()).as("%s", found.reasons()).isEmpty();
      }
    }
  }

  /** Two passes read 8192 rows of 512 bytes in tiles: each comes from memory once, 4.2 MB. */
  @Test
  void countsTheRowsThatTilesKeepInTheCache() throws IOException {
    SparseEntries entries = SparseEntries.random(5, 70_000, 100, 2, 8192);
    try (Engine engine = engine(true)) {
      EngineTensor tensor = entries.read(engine, folder, ValueType.DOUBLE);
      JobPlan plan = engine.plan(tensor, job(10));
      assertThat(plan.modes().get(0).kernel().tensorFormat().toString()).startsWith("{D:2/2048");
      List<String> reasons = engine.orders().choose(tensor, job(1_000_000), 0).reasons();
      Matcher rows =
          Pattern.compile("operand rows from memory: ([0-9.]+) MB").matcher(reasons.toString());
      assertThat(rows.find()).as("%s", reasons).isTrue();
      assertThat(Double.parseDouble(rows.group(1))).isBetween(4.0, 20.0);
    }
  }

  /** Nothing is left to gain in the blocks as they were. */
  @Test
  void leavesGoodLabelsAlone() throws IOException {
    Random random = new Random(3);
    SparseEntries entries = SparseEntries.empty(SIDE, SIDE, SIDE);
    for (int e = 0; e < 90_000; e++) {
      int block = e / 900 * 60;
      entries.add(
          1, block + random.nextInt(60), block + random.nextInt(60), block + random.nextInt(60));
    }
    try (Engine engine = engine(false)) {
      EngineTensor tensor = entries.read(engine, folder, ValueType.DOUBLE);
      Ordering found = engine.orders().choose(tensor, job(100_000), 0);
      assertThat(found.reasons().toString()).contains("auto: no");
      assertThat(found.relabelling()).isEmpty();
    }
  }
}
