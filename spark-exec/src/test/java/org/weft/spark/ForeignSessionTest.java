package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.spark.SparkEnv;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;

/**
 * The contract of engines in an application that has no off-heap memory, and whose Kryo refuses
 * classes that it does not know, Weft's among them.
 */
class ForeignSessionTest extends EngineContract {
  static final Map<String, String> STRICT =
      Map.of(
          "spark.serializer",
          "org.apache.spark.serializer.KryoSerializer",
          "spark.kryo.registrationRequired",
          "true");

  @BeforeAll
  static void start() {
    LocalSpark.restart(STRICT);
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
