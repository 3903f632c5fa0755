package org.weft.spark;

import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;

/** The contract of CP-ALS in this process. */
class LocalCpdTest extends CpdContract {
  @Override
  Engine open(EngineOptions options) {
    return LocalBackend.engine(FileAccess.local(), options);
  }
}
