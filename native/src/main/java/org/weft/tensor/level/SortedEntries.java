package org.weft.tensor.level;

import org.jspecify.annotations.Nullable;
import org.weft.memory.NativeArray;

/**
 * Entries in lexicographic level order, as packing sees them: one coordinate per level and entry.
 */
public interface SortedEntries {
  /** Coordinate of {@code entry} at {@code level}. */
  long coordinate(int level, int entry);

  /**
   * The first entry of every run of entries that agree at the levels down to {@code level}, and
   * {@code count} behind them; null if no two entries agree.
   *
   * @param count number of entries
   */
  default int @Nullable [] runs(int level, int count) {
    int[] starts = new int[count + 1];
    int runs = 0;
    for (int e = 0; e < count; e++) {
      if (e == 0 || differs(level, e)) {
        starts[runs++] = e;
      }
    }
    starts[runs] = count;
    return runs == count ? null : java.util.Arrays.copyOf(starts, runs + 1);
  }

  private boolean differs(int level, int entry) {
    for (int l = level; l >= 0; l--) {
      if (coordinate(l, entry) != coordinate(l, entry - 1)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Stores the coordinates at {@code level} of the entries {@code which}, or of the first {@code
   * count} ones if that is null.
   */
  default void coordinates(int level, int @Nullable [] which, int count, NativeArray into) {
    for (int i = 0; i < count; i++) {
      into.setLong(i, coordinate(level, which == null ? i : which[i]));
    }
  }
}
