package org.weft.tensor.level;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;

class OffsetLevelTest extends LevelFormatContract {
  @Override
  LevelFormat format() {
    return LevelFormats.bySymbol("O");
  }

  @Override
  boolean storesZeros() {
    return true;
  }

  /** A matrix whose diagonals are all as long as it has rows; each row has its column. */
  @Override
  Sample random(Random random, MemoryScope memory) {
    int rows = 1 + random.nextInt(5);
    int diagonals = random.nextInt(4);
    NativeArray offsets = memory.allocate(ElementType.U8, diagonals);
    int[] starts = new int[diagonals * rows + 1];
    List<Long> columns = new ArrayList<>();
    for (int k = 0; k < diagonals; k++) {
      offsets.setLong(k, rows - 1 + k);
      for (int row = 0; row < rows; row++) {
        columns.add((long) (row + k));
        starts[columns.size()] = columns.size();
      }
    }
    LevelView range =
        new LevelView(rows, (long) diagonals * rows, null, offsets, null, rows + diagonals);
    return new Sample(
        rows + diagonals,
        0,
        starts,
        RangeLevelTest.longs(columns),
        new long[columns.size()],
        range);
  }
}
