package org.weft.storage.container;

import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.CooBlock;

/** Runs of entries and extremes of columns. */
final class Blocks {
  private Blocks() {}

  /** Entries {@code [from, to)} of a block, copied unless that is all of it. */
  static CooBlock range(CooBlock block, int from, int to) {
    if (from == 0 && to == block.size()) {
      return block;
    }
    Object[] columns = new Object[block.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      columns[mode] =
          block.isWide(mode)
              ? Arrays.copyOfRange(block.longColumn(mode), from, to)
              : Arrays.copyOfRange(block.intColumn(mode), from, to);
    }
    return block.hasLongValues()
        ? CooBlock.ofColumns(columns, Arrays.copyOfRange(block.longValues(), from, to), to - from)
        : CooBlock.ofColumns(columns, Arrays.copyOfRange(block.values(), from, to), to - from);
  }

  /** The coordinate in the place of one of {@code mode}, by the table of that mode. */
  interface Relabelling {
    int apply(int mode, int[] table, long coordinate);
  }

  /**
   * The entries as they stand with the coordinates of modes with a table changed; shares others.
   */
  static CooBlock relabelled(CooBlock block, Map<Integer, int[]> tables, Relabelling relabelling) {
    Object[] columns = new Object[block.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      int @Nullable [] table = tables.get(mode);
      if (table == null) {
        columns[mode] = block.isWide(mode) ? block.longColumn(mode) : block.intColumn(mode);
        continue;
      }
      int[] column = new int[block.size()];
      for (int e = 0; e < column.length; e++) {
        column[e] = relabelling.apply(mode, table, block.coordinate(mode, e));
      }
      columns[mode] = column;
    }
    return block.hasLongValues()
        ? CooBlock.ofColumns(columns, block.longValues(), block.size())
        : CooBlock.ofColumns(columns, block.values(), block.size());
  }

  static long least(CooBlock block, int mode) {
    long least = Long.MAX_VALUE;
    for (int e = 0; e < block.size(); e++) {
      least = Math.min(least, block.coordinate(mode, e));
    }
    return least;
  }

  static long largest(CooBlock block, int mode) {
    long largest = 0;
    for (int e = 0; e < block.size(); e++) {
      largest = Math.max(largest, block.coordinate(mode, e));
    }
    return largest;
  }
}
