package org.weft.storage.container;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.CooBlock;

/** Blocks under other coordinates. */
final class Blocks {
  private Blocks() {}

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
}
