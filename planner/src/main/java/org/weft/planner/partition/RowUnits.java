package org.weft.planner.partition;

/**
 * Cuts the rows of a result that all partitions add to into ranges, one for each task that adds
 * them up. Rows are handed on in units of about {@code 2^17} numbers, and a range has whole units.
 */
public final class RowUnits {
  private static final int UNIT_NUMBERS = 1 << 17;

  private RowUnits() {}

  /** Rows of {@code columns} numbers in a unit. */
  public static int rows(int columns) {
    return Math.max(1, UNIT_NUMBERS / Math.max(1, columns));
  }

  /**
   * The first rows of at most {@code most} ranges, and behind them {@code count}.
   *
   * @param count of the rows
   * @param columns numbers in a row
   */
  public static long[] starts(long count, int columns, int most) {
    long rows = rows(columns);
    long units = Math.max(1, (count + rows - 1) / rows);
    int ranges = (int) Math.min(units, most);
    long[] starts = new long[ranges + 1];
    for (int range = 0; range < ranges; range++) {
      starts[range] = units * range / ranges * rows;
    }
    starts[ranges] = count;
    return starts;
  }
}
