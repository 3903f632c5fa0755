package org.weft.engine.distributed;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.weft.planner.distributed.LabelGrid;
import org.weft.planner.distributed.Ranges;
import org.weft.tensor.CooBlock;

/** Changes of the coordinates of blocks, and of what they have. */
final class Columns {
  private Columns() {}

  /** The block with {@code sign} times the offset of each mode added to its coordinates. */
  static CooBlock shifted(CooBlock block, long[] offsets, int sign) {
    if (Arrays.stream(offsets).allMatch(offset -> offset == 0)) {
      return block;
    }
    Object[] columns = new Object[block.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      long offset = sign * offsets[mode];
      columns[mode] =
          offset == 0 ? column(block, mode) : moved(block, mode, coordinate -> coordinate + offset);
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

  /** The entries whose values are not 0. */
  static CooBlock nonzeros(CooBlock block) {
    int[] kept = IntStream.range(0, block.size()).filter(e -> block.value(e) != 0).toArray();
    return kept.length == block.size() ? block : block.select(kept);
  }

  /** The entries of a matrix whose row minus column lies between two numbers. */
  static CooBlock diagonals(CooBlock block, long least, long most) {
    return block.select(
        IntStream.range(0, block.size())
            .filter(
                e -> {
                  long diagonal = block.coordinate(0, e) - block.coordinate(1, e);
                  return diagonal >= least && diagonal <= most;
                })
            .toArray());
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
   * The numbers of the entries of each part, in their order, by the ranges that their coordinates
   * lie in. Along an axis without modes, the part has the first range. Entries where the modes of
   * an axis are not in one range are left out.
   *
   * @param modes that have the label of each axis
   */
  static int[][] byPart(CooBlock block, List<List<Integer>> modes, LabelGrid grid) {
    int[] parts = new int[block.size()];
    for (int axis = 0; axis < modes.size(); axis++) {
      int stride = grid.stride(axis);
      Ranges ranges = grid.axes().get(axis).ranges();
      List<Integer> of = modes.get(axis);
      for (int e = 0; e < parts.length && !of.isEmpty(); e++) {
        int range = ranges.partOf(block.coordinate(of.get(0), e));
        boolean together = true;
        for (int m = 1; m < of.size(); m++) {
          together &= ranges.partOf(block.coordinate(of.get(m), e)) == range;
        }
        parts[e] = together && parts[e] >= 0 ? parts[e] + range * stride : -1;
      }
    }
    int[] counts = new int[grid.parts()];
    for (int part : parts) {
      if (part >= 0) {
        counts[part]++;
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
