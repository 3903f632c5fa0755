package org.weft.runtime;

import java.util.Objects;

/**
 * Copies between rows that lie here and there in memory, as runs of neighbours, and the same rows
 * one after the other.
 */
public final class PackedRows {
  private PackedRows() {}

  /**
   * Packs rows.
   *
   * @param firsts first row of each run
   * @param counts rows of each run
   * @param rows address of row 0
   * @param packed address of memory for the rows of all runs
   */
  public static void gather(
      int[] firsts, int[] counts, int runs, int rowBytes, long rows, long packed) {
    require(firsts, counts, runs);
    if (!NativeRuntime.gatherRows(firsts, counts, runs, rowBytes, rows, packed)) {
      throw new OutOfMemoryError("the rows' numbers cannot be held");
    }
  }

  /**
   * Puts the next bytes of packed rows where they belong.
   *
   * @param begun what the call before this one returned; 0 at the beginning
   * @return how far the rows have come: its upper half is the run that the next byte belongs to
   * @throws IllegalArgumentException if there are more bytes than the rows have
   */
  public static long scatter(
      int[] firsts,
      int[] counts,
      int runs,
      int rowBytes,
      long rows,
      long packed,
      long bytes,
      long begun) {
    require(firsts, counts, runs);
    long done =
        NativeRuntime.scatterRows(firsts, counts, runs, rowBytes, rows, packed, bytes, begun);
    if (done < 0) {
      throw new IllegalArgumentException("more bytes have come than the rows that were asked for");
    }
    return done;
  }

  private static void require(int[] firsts, int[] counts, int runs) {
    Objects.checkFromToIndex(0, runs, Math.min(firsts.length, counts.length));
    NativeRuntime.require();
  }
}
