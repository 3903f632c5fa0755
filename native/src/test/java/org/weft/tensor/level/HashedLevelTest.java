package org.weft.tensor.level;

class HashedLevelTest extends LevelFormatContract {
  @Override
  LevelFormat format() {
    return LevelFormats.bySymbol("H");
  }
}
