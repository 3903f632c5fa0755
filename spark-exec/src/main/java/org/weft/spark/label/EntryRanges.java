package org.weft.spark.label;

import java.util.ArrayList;
import java.util.List;

/** Ranges of the coordinates of a mode with about the same number of entries. */
public final class EntryRanges {
  private static final long LEAST_ENTRIES = 1 << 17;
  private static final long MOST_ENTRIES = 1 << 22;
  private static final int RANGES = 64;
  private static final int BLOCKS = 1 << 16;

  private EntryRanges() {}

  /** Entries of a range of a tensor of {@code entries}. */
  public static long each(long entries) {
    return Math.max(LEAST_ENTRIES, Math.min(MOST_ENTRIES, entries / RANGES));
  }

  /** Coordinates of a block, whose entries are counted together: there are {@code 2^16} at most. */
  public static long width(long size) {
    return Math.max(1, (size + BLOCKS - 1) / BLOCKS);
  }

  /**
   * The first coordinates of ranges with about {@code each} entries.
   *
   * @param sums block and entries, in the order of blocks; a block may come twice in a row
   */
  public static long[] firsts(List<long[]> sums, long width, long each) {
    List<Long> firsts = new ArrayList<>(List.of(0L));
    long entries = 0;
    long block = -1;
    for (long[] sum : sums) {
      if (entries >= each && sum[0] != block) {
        firsts.add(sum[0] * width);
        entries = 0;
      }
      block = sum[0];
      entries += sum[1];
    }
    return firsts.stream().mapToLong(f -> f).toArray();
  }
}
