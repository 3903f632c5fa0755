package org.weft.runtime;

import java.util.Objects;

/**
 * Passes over the columns of entries, in the C++ runtime: the first compiler of the JVM, which is
 * all that a short job has, makes code for them that takes several times as long. The garbage
 * collector waits for a pass: a column should be that of one block, not of a whole tensor.
 */
public final class ColumnPasses {
  private ColumnPasses() {}

  /**
   * The largest of the elements {@code [from, to)}; a negative number if there is none, or if one
   * of them is negative.
   */
  public static long largest(int[] column, int from, int to) {
    Objects.checkFromToIndex(from, to, column.length);
    NativeRuntime.require();
    long largest = NativeRuntime.largest(column, from, to);
    require(largest != Long.MIN_VALUE);
    return largest;
  }

  /**
   * Adds 1 to {@code counts[element >>> shift]} for each of the elements {@code [from, to)}.
   *
   * @param largest of the elements, none of which is negative
   */
  public static void count(int[] column, int from, int to, long largest, int shift, int[] counts) {
    Objects.checkFromToIndex(from, to, column.length);
    if (from < to) {
      Objects.checkIndex(largest >>> shift, (long) counts.length);
    }
    NativeRuntime.require();
    require(NativeRuntime.count(column, from, to, shift, counts));
  }

  /**
   * Takes the first {@code size} values into {@code sums}: the sum of squares, the smallest, the
   * largest, and how many are not finite.
   */
  public static void summarize(double[] values, int size, double[] sums) {
    Objects.checkFromToIndex(0, size, values.length);
    Objects.checkFromToIndex(0, 4, sums.length);
    NativeRuntime.require();
    require(NativeRuntime.summarize(values, size, sums));
  }

  private static void require(boolean held) {
    if (!held) {
      throw new OutOfMemoryError("no memory for a copy of a column");
    }
  }
}
