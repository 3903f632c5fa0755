package org.weft.tensor.level;

class SingletonLevelTest extends LevelFormatContract {
  @Override
  LevelFormat format() {
    return LevelFormats.bySymbol("S");
  }

  @Override
  boolean oneEntryPerParent() {
    return true;
  }
}
