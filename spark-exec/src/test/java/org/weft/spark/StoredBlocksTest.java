package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.decomposition.Method;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.planner.job.Job;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** A step goes through its rows by the blocks in which they are stored. */
class StoredBlocksTest {
  private static final int ROWS = 120_000;

  @TempDir Path folder;

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
  }

  /** Rows of two lengths, whose blocks end at different rows, and a sum over all rows. */
  private record TwoLengths() implements Method<double[]> {
    @Override
    public Job job(TensorShape shape) {
      return new Cpd(2, 1, 0, false, 1, ValueType.DOUBLE).job(shape);
    }

    @Override
    public double[] run(Site site, Observer observer) {
      Rows wide = site.random(0, 16, ValueType.DOUBLE, 1);
      Rows narrow = site.random(0, 5, ValueType.FLOAT, 2);
      RowRule rule =
          (rows, sums) -> {
            for (int r = 0; r < rows[1].length; r++) {
              rows[1][r] += rows[0][r];
            }
            rows[0][0] = 1;
            sums[0]++;
          };
      Step step =
          Step.of(0, "rows of two lengths")
              .rows("W", wide)
              .rows("N", narrow)
              .then(new RowOperation.Each(rule, List.of("W", "N"), 2, "count", 1));
      double count = site.run(step).get("count")[0];
      DenseMatrix madeWide = site.collect(wide);
      DenseMatrix madeNarrow = site.collect(narrow);
      DenseMatrix first = site.collect(site.random(0, 16, ValueType.DOUBLE, 1));
      DenseMatrix second = site.collect(site.random(0, 5, ValueType.FLOAT, 2));
      int wrong = 0;
      for (int i = 0; i < ROWS; i++) {
        for (int r = 0; r < 16; r++) {
          wrong += madeWide.get(i, r) == (r == 0 ? 1 : first.get(i, r)) ? 0 : 1;
        }
        for (int r = 0; r < 5; r++) {
          wrong += madeNarrow.get(i, r) == (float) (second.get(i, r) + first.get(i, r)) ? 0 : 1;
        }
      }
      return new double[] {count, wrong};
    }
  }

  @Test
  void rowsOfSeveralLengthsAreInBlocksOfTheirOwn() throws IOException {
    SparseEntries entries = SparseEntries.random(57, 500, ROWS, 9, 7);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(2));
    try (Engine spark = SparkEngine.create(LocalSpark.context(), options)) {
      EngineTensor tensor = entries.read(spark, folder, ValueType.DOUBLE);
      double[] found =
          spark.run(tensor, new TwoLengths(), ProgressListener.NONE, (model, site) -> {}).model();
      assertThat(found).containsExactly(ROWS, 0);
    }
  }
}
