package org.weft.spark;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;

/** Dimension trees on executors; what both engines share is tried on them only with -Plong. */
class SparkDimensionTreeTest extends DimensionTreeContract {
  @Override
  Engine open(EngineOptions options) {
    return SparkEngine.create(LocalSpark.context(), options);
  }

  @Override
  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"30 7 400", "7 30 60 400", "4 5 6 300 3 6"})
  void otherShapesGiveTheSameFactors(String shape) throws IOException {
    super.otherShapesGiveTheSameFactors(shape);
  }

  /** One of the orders of the constraints is enough here. */
  @Override
  @ParameterizedTest
  @ValueSource(ints = 0)
  void constrainedModesShareProducts(int first) throws IOException {
    super.constrainedModesShareProducts(first);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void otherConstrainedModesShareProducts(int first) throws IOException {
    super.constrainedModesShareProducts(first);
  }
}
