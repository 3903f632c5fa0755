package org.weft.engine.distributed;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.weft.planner.distributed.Ranges;
import org.weft.tensor.CooBlock;

/** Changes of the coordinates of blocks. */
final class Columns {
  private Columns() {}

  /** The block with {@code offset} added to the coordinates of {@code modes}. */
  static CooBlock shifted(CooBlock block, List<Integer> modes, long offset) {
    if (offset == 0 || modes.isEmpty()) {
      return block;
    }
    Object[] columns = new Object[block.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      columns[mode] = column(block, mode);
      if (modes.contains(mode)) {
        columns[mode] = moved(block, mode, coordinate -> coordinate + offset);
      }
    }
    return of(block, columns);
  }

  /** A new coordinate for one of {@code mode}. */
  @FunctionalInterface
  interface Change {
    long of(int mode, long coordinate);
  }

  /** The block with all coordinates changed. */
  static CooBlock mapped(CooBlock block, Change change) {
    Object[] columns = new Object[block.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      int of = mode;
      columns[mode] = moved(block, mode, coordinate -> change.of(of, coordinate));
    }
    return of(block, columns);
  }

  private static Object moved(CooBlock block, int mode, LongUnaryOperator change) {
    long[] moved = new long[block.size()];
    long largest = 0;
    for (int e = 0; e < moved.length; e++) {
      moved[e] = change.applyAsLong(block.coordinate(mode, e));
      largest = Math.max(largest, moved[e]);
    }
    return largest <= Integer.MAX_VALUE
        ? Arrays.stream(moved).mapToInt(c -> (int) c).toArray()
        : moved;
  }

  /** The block with one more mode, in which all entries have {@code coordinate}. */
  static CooBlock appended(CooBlock block, int coordinate) {
    Object[] columns = new Object[block.order() + 1];
    for (int mode = 0; mode < block.order(); mode++) {
      columns[mode] = column(block, mode);
    }
    int[] last = new int[block.size()];
    Arrays.fill(last, coordinate);
    columns[block.order()] = last;
    return of(block, columns);
  }

  private static Object column(CooBlock block, int mode) {
    return block.isWide(mode) ? block.longColumn(mode) : block.intColumn(mode);
  }

  private static CooBlock of(CooBlock block, Object[] columns) {
    return block.hasLongValues()
        ? CooBlock.ofColumns(columns, block.longValues(), block.size())
        : CooBlock.ofColumns(columns, block.values(), block.size());
  }

  /**
   * The numbers of the entries of each part, in their order, by the range that the coordinates of
   * {@code modes} lie in; entries where these are not in one range are left out.
   */
  static int[][] byPart(CooBlock block, List<Integer> modes, Ranges ranges) {
    int[] parts = new int[block.size()];
    int[] counts = new int[ranges.parts()];
    for (int e = 0; e < parts.length; e++) {
      parts[e] = ranges.partOf(block.coordinate(modes.get(0), e));
      for (int m = 1; m < modes.size(); m++) {
        if (parts[e] >= 0 && ranges.partOf(block.coordinate(modes.get(m), e)) != parts[e]) {
          parts[e] = -1;
        }
      }
      if (parts[e] >= 0) {
        counts[parts[e]]++;
      }
    }
    int[][] entries = new int[counts.length][];
    for (int part = 0; part < counts.length; part++) {
      entries[part] = new int[counts[part]];
    }
    int[] at = new int[counts.length];
    for (int e = 0; e < parts.length; e++) {
      if (parts[e] >= 0) {
        entries[parts[e]][at[parts[e]]++] = e;
      }
    }
    return entries;
  }
}
