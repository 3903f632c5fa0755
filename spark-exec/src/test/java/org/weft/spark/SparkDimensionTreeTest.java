package org.weft.spark;

import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;

/** Dimension trees on executors. */
class SparkDimensionTreeTest extends DimensionTreeContract {
  @Override
  Engine open(EngineOptions options) {
    return SparkEngine.create(LocalSpark.context(), options);
  }
}
