package org.weft.tensor.level;

class CompressedNonUniqueLevelTest extends LevelFormatContract {
  @Override
  LevelFormat format() {
    return LevelFormats.bySymbol("CN");
  }
}
