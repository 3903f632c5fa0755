package org.weft.tensor.level;

class DenseLevelTest extends LevelFormatContract {
  @Override
  LevelFormat format() {
    return LevelFormats.bySymbol("D");
  }
}
