package org.weft.planner.partition;

import java.io.Serializable;
import org.weft.runtime.ColumnPasses;
import org.weft.tensor.CooBlock;

/** Finds the range that a slice of a mode is in, in {@code O(1)} for ranges of like lengths. */
final class SliceIndex implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int TABLE_BITS = 12;

  private final long[] starts;
  private final long size;
  // First candidate among the ranges for each block of 2^tableShift slices.
  private final int tableShift;
  private final int[] table;

  /**
   * @param starts first slice of each range, not descending, from 0 on; a range without slices
   *     begins where the next one does
   * @param size slices of the mode
   */
  SliceIndex(long[] starts, long size) {
    this.starts = starts;
    this.size = size;
    tableShift = Math.max(0, 64 - Long.numberOfLeadingZeros(size) - TABLE_BITS);
    table = new int[(int) (Math.max(0, size - 1) >>> tableShift) + 1];
    for (int block = 0, range = 0; block < table.length; block++) {
      range = last((long) block << tableShift, range);
      table[block] = range;
    }
  }

  /** The range of a slice within the mode. */
  int rangeOf(long slice) {
    return last(slice, table[(int) (slice >>> tableShift)]);
  }

  private int last(long slice, int from) {
    int range = from;
    while (range + 1 < starts.length && starts[range + 1] <= slice) {
      range++;
    }
    return range;
  }

  /**
   * The range of every entry, by a mode of their coordinates.
   *
   * @throws IndexOutOfBoundsException when a coordinate is outside the mode
   */
  void rangesOf(CooBlock block, int mode, int[] into) {
    int entries = block.size();
    if (!block.isWide(mode)
        && ColumnPasses.ranges(block.intColumn(mode), entries, starts, size, into)) {
      return;
    }
    for (int e = 0; e < entries; e++) {
      long slice = block.coordinate(mode, e);
      requireWithin(mode, slice);
      into[e] = rangeOf(slice);
    }
  }

  /**
   * @throws IndexOutOfBoundsException when a coordinate is outside the mode
   */
  void requireWithin(int mode, long slice) {
    if (slice < 0 || slice >= size) {
      throw new IndexOutOfBoundsException(
          "coordinate " + slice + " of mode " + mode + " is outside [0, " + size + ")");
    }
  }

  /** Replaces each number by the number times the count of ranges, plus the entry's range. */
  void append(CooBlock block, int mode, int[] numbers) {
    if (starts.length == 1) {
      return;
    }
    int[] range = new int[block.size()];
    rangesOf(block, mode, range);
    for (int e = 0; e < range.length; e++) {
      numbers[e] = numbers[e] * starts.length + range[e];
    }
  }
}
