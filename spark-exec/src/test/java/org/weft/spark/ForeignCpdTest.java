package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkEnv;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;

/**
 * Decompositions in an application that has no off-heap memory, and whose Kryo refuses classes that
 * it does not know, Weft's among them.
 */
class ForeignCpdTest extends CpdContract {
  @BeforeAll
  static void start() {
    LocalSpark.restart(ForeignSessionTest.STRICT);
  }

  @AfterAll
  static void stop() {
    LocalSpark.stop();
  }

  @Override
  Engine open(EngineOptions options) {
    return SparkEngine.create(LocalSpark.context(), options);
  }

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
    assertThat(SparkEnv.get().memoryManager().maxOffHeapMemory()).isZero();
  }
}
