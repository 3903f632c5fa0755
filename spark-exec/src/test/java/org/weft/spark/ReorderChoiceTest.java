package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.planner.CpdJob;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.storage.ReadOptions;
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

  private static CpdJob job(int iterations) {
    return new CpdJob(64, iterations, 0, false, 1, ValueType.DOUBLE);
  }

  @Test
  void ordersOnlyWhatPaysOverTheIterations() throws IOException {
    String file = shuffledBlocks().write(folder.resolve("in.tns")).toString();
    try (WeftEngine engine =
        WeftEngine.create(LocalSpark.context(), EngineOptions.defaults().withPartitions(2))) {
      SparkTensor tensor =
          engine.read(
              file,
              ReadOptions.defaults().withHeader(ReadOptions.Header.EXTENDED),
              ValueType.DOUBLE);
      Ordering once = engine.chooseOrder(tensor, job(1), 0);
      assertThat(once.relabelling()).isEmpty();
      assertThat(once.reasons()).hasSize(1);
      assertThat(once.reasons().get(0)).contains("auto: no: all kernels take");
      Ordering often = engine.chooseOrder(tensor, job(100_000), 0);
      assertThat(often.relabelling()).isPresent();
      assertThat(often.method()).isEqualTo("lexi");
      assertThat(often.reasons()).anyMatch(line -> line.startsWith("auto: lexi on 90,000 entries"));
      SparkTensor ordered = engine.reorder(tensor, often, false);
      Ordering again = engine.chooseOrder(ordered, job(1), 0);
      assertThat(again.relabelling()).isEmpty();
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
    String file = entries.write(folder.resolve("in.tns")).toString();
    try (WeftEngine engine =
        WeftEngine.create(LocalSpark.context(), EngineOptions.defaults().withPartitions(2))) {
      SparkTensor tensor =
          engine.read(
              file,
              ReadOptions.defaults().withHeader(ReadOptions.Header.EXTENDED),
              ValueType.DOUBLE);
      Ordering found = engine.chooseOrder(tensor, job(100_000), 0);
      assertThat(found.reasons().toString()).contains("auto: no");
      assertThat(found.relabelling()).isEmpty();
    }
  }
}
