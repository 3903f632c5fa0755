package org.weft.statistics;

import java.util.Arrays;

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
   * @param count buckets
   * @param few their heights, if {@code many} is empty
   * @param many their heights otherwise
   */
  SliceHeights(int count, int[] few, long[] many) {
    int[] lowSteps = new int[COUNTED];
    long[] high = new long[16];
    int highs = 0;
    int end = 0; // above all low heights
    for (int b = 0; b < count; b++) {
      long h = many.length > 0 ? many[b] : few[b];
      if (h < COUNTED) {
        lowSteps[(int) h]++;
        end = h >= end ? (int) h + 1 : end;
      } else {
        if (highs == high.length) {
          high = Arrays.copyOf(high, 2 * highs);
        }
        high[highs++] = h;
      }
    }
    Arrays.sort(high, 0, highs);
    int steps = highs;
    for (int h = 0; h < end; h++) {
      steps += lowSteps[h] > 0 ? 1 : 0;
    }
    heights = new long[steps];
    buckets = new long[steps];
    entries = new double[steps];
    int step = 0;
    for (int i = highs - 1; i >= 0; i--) {
      put(step++, high[i], 1);
    }
    for (int h = end - 1; h >= 0; h--) {
      if (lowSteps[h] > 0) {
        put(step++, h, lowSteps[h]);
      }
    }
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

  private void put(int step, long height, long number) {
    heights[step] = height;
    buckets[step] = number + (step == 0 ? 0 : buckets[step - 1]);
    entries[step] = (double) number * height + (step == 0 ? 0 : entries[step - 1]);
  }
}
