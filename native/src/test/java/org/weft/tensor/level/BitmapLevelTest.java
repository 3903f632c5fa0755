package org.weft.tensor.level;

class BitmapLevelTest extends LevelFormatContract {
  @Override
  LevelFormat format() {
    return LevelFormats.bySymbol("B");
  }
}
