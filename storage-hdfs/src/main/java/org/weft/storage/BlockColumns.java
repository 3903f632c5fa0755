package org.weft.storage;

import java.util.Arrays;
import org.weft.runtime.ColumnPasses;
import org.weft.tensor.CooBlock;

/** What a column of coordinates has, by passes of the C++ runtime where coordinates fit an int. */
public final class BlockColumns {
  private BlockColumns() {}

  /** The least coordinate of a mode of a block that has entries. */
  public static long least(CooBlock block, int mode) {
    return block.isWide(mode)
        ? Arrays.stream(block.longColumn(mode), 0, block.size()).min().orElseThrow()
        : ColumnPasses.least(block.intColumn(mode), 0, block.size());
  }

  /** The largest coordinate of a mode of a block that has entries. */
  public static long largest(CooBlock block, int mode) {
    return block.isWide(mode)
        ? Arrays.stream(block.longColumn(mode), 0, block.size()).max().orElseThrow()
        : ColumnPasses.largest(block.intColumn(mode), 0, block.size());
  }

  /** Whether the coordinates of the entries {@code [from, to)} never decrease in a mode. */
  public static boolean ascends(CooBlock block, int mode, int from, int to) {
    if (!block.isWide(mode)) {
      return ColumnPasses.ascends(block.intColumn(mode), from, to);
    }
    long[] column = block.longColumn(mode);
    for (int e = from + 1; e < to; e++) {
      if (column[e] < column[e - 1]) {
        return false;
      }
    }
    return true;
  }
}
