package org.weft.spark;

import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;

/** The contract of engines in this process; closing one fails if memory stays. */
class LocalEngineTest extends EngineContract {
  @Override
  Engine open(EngineOptions options) {
    return LocalBackend.engine(FileAccess.local(), options);
  }
}
