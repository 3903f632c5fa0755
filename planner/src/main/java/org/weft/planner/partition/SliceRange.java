package org.weft.planner.partition;

import java.io.Serializable;

/**
 * What one partition holds of a mode: slices {@code [from, to)}, all of their entries when {@code
 * pieces} is 1, otherwise the {@code piece}-th of {@code pieces} shares made by a hash of the other
 * coordinates. All pieces of a range have the same {@code from} and {@code to}.
 */
public record SliceRange(long from, long to, int piece, int pieces) implements Serializable {
  public SliceRange {
    if (from < 0 || to < from || pieces < 1 || piece < 0 || piece >= pieces) {
      throw new IllegalArgumentException(
          "not a slice range: [" + from + ", " + to + ") piece " + piece + " of " + pieces);
    }
  }

  /** Number of slices: rows of the partition's dense result. */
  public long slices() {
    return to - from;
  }

  @Override
  public String toString() {
    String range = "[" + from + ", " + to + ")";
    return pieces == 1 ? range : range + " piece " + (piece + 1) + "/" + pieces;
  }
}
