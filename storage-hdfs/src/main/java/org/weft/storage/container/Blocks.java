package org.weft.storage.container;

import java.util.Arrays;
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
