package org.weft.statistics;

import java.util.Arrays;
import org.weft.runtime.ColumnPasses;

/**
 * The buckets of a mode histogram by falling height: how many entries the heaviest buckets hold.
 *
 * <p>Buckets of one height are one step. The number of steps is at most the square root of twice
 * the entries. Cost {@code O(buckets)} once, where no more than a few buckets are higher than 2^16;
 * a question costs {@code O(log steps)}.
 */
final class SliceHeights {
  private static final int COUNTED = 1 << 16;

  // Per step, from the highest: buckets and entries of the step and of all steps before it.
  private final long[] heights;
  private final long[] buckets;
  private final double[] entries;

  /**
   * @param low number of buckets of each height below {@value #COUNTED}
   * @param high the other heights, which are sorted
   */
  private SliceHeights(int[] low, long[] high) {
    Arrays.sort(high);
    int highs = high.length;
    int steps = highs + ColumnPasses.nonzero(low, 0, low.length);
    heights = new long[steps];
    buckets = new long[steps];
    entries = new double[steps];
    for (int i = 0; i < highs; i++) {
      heights[highs - 1 - i] = high[i];
      buckets[i] = 1;
    }
    int step = steps;
    for (int h = 0; step > highs; h++) {
      if (low[h] > 0) {
        step--;
        heights[step] = h;
        buckets[step] = low[h];
      }
    }
    for (int i = 0; i < steps; i++) {
      entries[i] = (double) buckets[i] * heights[i] + (i == 0 ? 0 : entries[i - 1]);
      buckets[i] += i == 0 ? 0 : buckets[i - 1];
    }
  }

  /** Of the first {@code count} buckets. */
  static SliceHeights of(int[] counts, int count) {
    int[] low = new int[COUNTED];
    return new SliceHeights(low, ColumnPasses.heights(counts, count, low));
  }

  /** Of the first {@code count} buckets. */
  static SliceHeights of(long[] counts, int count) {
    int[] low = new int[COUNTED];
    long[] high = new long[16];
    int highs = 0;
    for (int b = 0; b < count; b++) {
      long h = counts[b];
      if (h < COUNTED) {
        low[(int) h]++;
      } else {
        if (highs == high.length) {
          high = Arrays.copyOf(high, 2 * highs);
        }
        high[highs++] = h;
      }
    }
    return new SliceHeights(low, Arrays.copyOf(high, highs));
  }

  /** Entries in the {@code heaviest} buckets with the most. */
  double entriesOf(long heaviest) {
    int at = Arrays.binarySearch(buckets, heaviest);
    if (at >= 0) {
      return entries[at];
    }
    int next = -at - 1;
    long before = next == 0 ? 0 : buckets[next - 1];
    double above = next == 0 ? 0 : entries[next - 1];
    return next == buckets.length ? above : above + (heaviest - before) * (double) heights[next];
  }

  /** Calls {@code visitor} for each step, from the highest. */
  void forEach(ModeHistogram.HeightVisitor visitor) {
    for (int step = 0; step < heights.length; step++) {
      visitor.visit(heights[step], buckets[step] - (step == 0 ? 0 : buckets[step - 1]));
    }
  }
}
