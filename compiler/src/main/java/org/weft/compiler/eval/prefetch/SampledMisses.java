package org.weft.compiler.eval.prefetch;

import java.util.Arrays;
import org.weft.compiler.PrefetchDistance;
import org.weft.memory.NativeArray;

/**
 * How often rows that stored coordinates choose are not near: a cache of {@link
 * PrefetchDistance#CACHE_BYTES} is simulated along a few stretches of the coordinates. Rows next to
 * one that was read count as near, as processors fetch them by themselves. Cost: up to {@value
 * #STRETCHES} times twice as many coordinates as the cache has rows, half a millisecond.
 */
final class SampledMisses {
  private static final int STRETCHES = 3;
  private static final int LINE_BYTES = 64;

  private SampledMisses() {}

  /**
   * The share of rows that are missed, 0 to 1.
   *
   * @param coordinates of the rows, in the order in which they are read
   * @param rowBytes bytes from one row to the next
   */
  static double share(NativeArray coordinates, long rowBytes) {
    long unit = Math.max(LINE_BYTES, rowBytes);
    int slots = Integer.highestOneBit((int) Math.max(16, PrefetchDistance.CACHE_BYTES / unit));
    long[] cache = new long[slots];
    long length = Math.min(2L * slots, coordinates.length());
    long reads = 0;
    long misses = 0;
    for (int stretch = 0; stretch < STRETCHES; stretch++) {
      long from = (coordinates.length() - length) * stretch / Math.max(1, STRETCHES - 1);
      Arrays.fill(cache, -1);
      for (long p = from; p < from + length; p++) {
        long row = coordinates.getLong(p) * rowBytes / unit;
        boolean near = holds(cache, row) || holds(cache, row - 1);
        cache[(int) row & slots - 1] = row;
        if (p >= from + length / 2) {
          reads++;
          misses += near ? 0 : 1;
        }
      }
    }
    return reads == 0 ? 0 : (double) misses / reads;
  }

  private static boolean holds(long[] cache, long row) {
    return row >= 0 && cache[(int) row & cache.length - 1] == row;
  }
}
