package org.weft.spark;

import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;

/** Dimension trees in this process. */
class LocalDimensionTreeTest extends DimensionTreeContract {
  @Override
  Engine open(EngineOptions options) {
    return LocalBackend.engine(FileAccess.local(), options);
  }
}
