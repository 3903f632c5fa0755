package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.decomposition.OrthogonalIteration;
import org.weft.decomposition.Ranks;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/** Tucker decompositions by executors, against those of one process. */
class SparkTuckerTest {
  @TempDir Path folder;

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
  }

  private FoundTucker run(
      Engine engine, SparseEntries entries, OrthogonalIteration tucker, ProgressListener progress)
      throws IOException {
    EngineTensor tensor = entries.read(engine, folder, tucker.valueType());
    return FoundTucker.of(engine, tensor, tucker, progress);
  }

  private static OrthogonalIteration tucker(ValueType type, Integer... ranks) {
    return new OrthogonalIteration(
        new Ranks(List.of(ranks)), OrthogonalIteration.Start.STHOSVD, 4, 0, 5, type);
  }

  /** A slice of every mode is in several partitions: the driver finishes its row. */
  private static SparseEntries withHeavySlices() {
    SparseEntries entries = SparseEntries.random(54, 1000, 30, 20, 10);
    for (int i = 0; i < 20; i++) {
      for (int j = 0; j < 10; j++) {
        entries.add(1 + i, 7, i, j);
        entries.add(2 + j, i, 3, j);
      }
    }
    return entries;
  }

  @Tag("long")
  @Test
  void executorsFindInSinglePrecisionWhatOneProcessFinds() throws IOException {
    executorsFindWhatOneProcessFinds(ValueType.FLOAT, 1e-4);
  }

  @Test
  void executorsFindWhatOneProcessFinds() throws IOException {
    executorsFindWhatOneProcessFinds(ValueType.DOUBLE, 1e-9);
  }

  private void executorsFindWhatOneProcessFinds(ValueType type, double tolerance)
      throws IOException {
    OrthogonalIteration tucker = tucker(type, 3, 2, 4);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(7));
    try (Engine spark = SparkEngine.create(LocalSpark.context(), options);
        Engine local = LocalBackend.engine(FileAccess.local(), options)) {
      FoundTucker there = run(spark, withHeavySlices(), tucker, ProgressListener.NONE);
      FoundTucker here = run(local, withHeavySlices(), tucker, ProgressListener.NONE);
      for (int sweep = 0; sweep < 4; sweep++) {
        assertThat(there.fits().get(sweep)).isCloseTo(here.fits().get(sweep), within(tolerance));
      }
      there.factors().forEach(SparkTuckerTest::assertOrthonormal);
    }
  }

  private static void assertOrthonormal(DenseMatrix factor) {
    for (int r = 0; r < factor.columns(); r++) {
      for (int s = 0; s < factor.columns(); s++) {
        double sum = 0;
        for (long i = 0; i < factor.rows(); i++) {
          sum += factor.get(i, r) * factor.get(i, s);
        }
        assertThat(sum).isCloseTo(r == s ? 1 : 0, within(1e-12));
      }
    }
  }

  /** All rows vanish after the second iteration: it begins anew, and finds the same bits. */
  @Test
  void lostRowsAreMadeAgain() throws IOException {
    OrthogonalIteration tucker = tucker(ValueType.DOUBLE, 3, 2, 2);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(3));
    try (Engine spark = SparkEngine.create(LocalSpark.context(), options)) {
      FoundTucker expected = run(spark, withHeavySlices(), tucker, ProgressListener.NONE);
      int[] heard = {0};
      FoundTucker found =
          run(
              spark,
              withHeavySlices(),
              tucker,
              new ProgressListener() {
                @Override
                public void iteration(int number, double fit, double change, double seconds) {
                  heard[0]++;
                  if (heard[0] == 2) {
                    loseRows();
                  }
                }
              });
      assertThat(heard[0]).isEqualTo(6);
      assertThat(found.fits()).isEqualTo(expected.fits());
      assertThat(Arrays.equals(found.core(), expected.core())).isTrue();
    }
  }

  private static void loseRows() {
    BlockManager blocks = SparkEnv.get().blockManager();
    List<BlockId> rows = new java.util.ArrayList<>();
    blocks.getMatchingBlockIds(block -> block.name().contains("_factor")).foreach(rows::add);
    assertThat(rows).isNotEmpty();
    rows.forEach(block -> blocks.removeBlock(block, true));
  }
}
