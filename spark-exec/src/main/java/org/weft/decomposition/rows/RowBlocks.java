package org.weft.decomposition.rows;

import java.util.Collection;

/**
 * The blocks into which the rows of a range are cut; a step takes them one by one. Sums are added
 * up by blocks, so the cuts decide their bits.
 */
public final class RowBlocks {
  /** Most bytes of a block, but for a row that is longer. */
  private static final int BLOCK_BYTES = 8 << 20;

  private RowBlocks() {}

  /** Rows of every block of a range, but for the last one. */
  public static long blockRows(long rowBytes) {
    return Math.max(1, BLOCK_BYTES / Math.max(1, rowBytes));
  }

  /**
   * The end of the rows from {@code row} on that a step takes at once: they lie in one block of all
   * rows that it replaces, and fill no more than a block of those that it reads.
   *
   * @param count of the range's rows
   * @param read bytes of a row, for all rows that the step reads
   * @param written bytes of a row, for all rows that it replaces
   */
  public static long end(long row, long count, Collection<Long> read, Collection<Long> written) {
    long end = count;
    for (long rowBytes : read) {
      end = Math.min(end, row + blockRows(rowBytes));
    }
    for (long rowBytes : written) {
      long blockRows = blockRows(rowBytes);
      end = Math.min(end, (row / blockRows + 1) * blockRows);
    }
    return end;
  }
}
