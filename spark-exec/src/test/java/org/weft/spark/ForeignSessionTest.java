package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.spark.SparkEnv;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;

/**
 * The contracts of engines in an application that has no off-heap memory, though it names a size,
 * and whose Kryo refuses classes that it does not know, Weft's among them.
 */
@Tag("long")
class ForeignSessionTest {
  @BeforeAll
  static void start() {
    LocalSpark.restart(
        Map.of(
            "spark.serializer",
            "org.apache.spark.serializer.KryoSerializer",
            "spark.kryo.registrationRequired",
            "true",
            "spark.memory.offHeap.size",
            "64m"));
  }

  @AfterAll
  static void stop() {
    LocalSpark.stop();
  }

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
    assertThat(SparkEnv.get().conf().getBoolean("spark.memory.offHeap.enabled", false)).isFalse();
  }

  @Nested
  class Jobs extends EngineContract {
    @Override
    Engine open(EngineOptions options) {
      return SparkEngine.create(LocalSpark.context(), options);
    }
  }

  @Nested
  class Decompositions extends CpdContract {
    @Override
    Engine open(EngineOptions options) {
      return SparkEngine.create(LocalSpark.context(), options);
    }
  }
}
