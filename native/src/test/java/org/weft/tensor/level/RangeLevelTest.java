package org.weft.tensor.level;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.weft.memory.MemoryScope;

class RangeLevelTest extends LevelFormatContract {
  @Override
  LevelFormat format() {
    return LevelFormats.bySymbol("R");
  }

  @Override
  boolean storesZeros() {
    return true;
  }

  /** Parents are diagonals of a matrix, each with some of its rows. */
  @Override
  Sample random(Random random, MemoryScope memory) {
    int rows = 1 + random.nextInt(6);
    int columns = 1 + random.nextInt(6);
    TreeSet<Integer> diagonals = new TreeSet<>();
    for (int k = random.nextInt(5); k > 0; k--) {
      diagonals.add(random.nextInt(rows + columns - 1) - (rows - 1));
    }
    int[] starts = new int[diagonals.size() + 1];
    List<Long> coordinates = new ArrayList<>();
    List<Long> below = new ArrayList<>();
    int k = 0;
    for (int offset : diagonals) {
      TreeSet<Integer> stored = new TreeSet<>();
      int from = Math.max(0, -offset);
      int to = Math.min(rows, columns - offset);
      for (int n = 1 + random.nextInt(4); n > 0; n--) {
        stored.add(from + random.nextInt(to - from));
      }
      for (int row : stored) {
        coordinates.add((long) row);
        below.add((long) (row + offset));
      }
      starts[++k] = coordinates.size();
    }
    return new Sample(rows, columns, starts, longs(coordinates), longs(below), null);
  }

  static long[] longs(List<Long> list) {
    return list.stream().mapToLong(Long::longValue).toArray();
  }
}
