package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.planner.CpdJob;
import org.weft.storage.FileAccess;
import org.weft.tensor.ValueType;

/** The contract of CP-ALS on Spark. */
class SparkCpdTest extends CpdContract {
  @Override
  Engine open(EngineOptions options) {
    return SparkEngine.create(LocalSpark.context(), options);
  }

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
  }

  @ParameterizedTest
  @CsvSource({
    "DOUBLE, false, 1e-9",
    "DOUBLE, true, 1e-9",
    "FLOAT, false, 1e-4",
    "FLOAT, true, 1e-4"
  })
  void bothBackendsFindTheSame(ValueType type, boolean nonnegative, double tolerance)
      throws IOException {
    SparseEntries entries = SparseEntries.random(53, 3000, 30, 20, 10);
    CpdJob job = new CpdJob(4, 6, 0, nonnegative, 9, type);
    EngineOptions options = EngineOptions.defaults().withPartitions(5);
    try (Engine spark = open(options);
        Engine local = LocalBackend.engine(FileAccess.of(new Configuration()), options)) {
      CpdResult there = spark.cpd(read(spark, entries), job, ProgressListener.NONE);
      CpdResult here = local.cpd(read(local, entries), job, ProgressListener.NONE);
      for (int i = 0; i < 6; i++) {
        assertThat(here.fits().get(i)).isCloseTo(there.fits().get(i), within(tolerance));
      }
    }
  }
}
