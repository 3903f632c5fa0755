package org.weft.tensor.level;

class CompressedLevelTest extends LevelFormatContract {
  @Override
  LevelFormat format() {
    return LevelFormats.bySymbol("CU");
  }
}
