package org.weft.statistics;

import java.io.Serializable;
import java.util.Arrays;

/**
 * How the stored entries of a tensor spread over the slices of one mode. Minimum, median, 99th
 * percentile and maximum count entries per slice among the slices that have any.
 *
 * @param nonempty slices with an entry
 * @param empty slices without one
 * @param exact whether every slice was counted alone; otherwise the figures are estimates that
 *     spread the entries of a bucket evenly over its slices
 */
public record SliceSummary(
    long nonempty, long empty, long min, long median, long p99, long max, boolean exact)
    implements Serializable {

  /** Of a histogram; see {@link ModeHistogram#summary}. */
  static SliceSummary of(ModeHistogram histogram, long modeSize) {
    long width = histogram.bucketWidth();
    int buckets = histogram.buckets();
    long[] heights = new long[buckets];
    int used = 0;
    long ones = 0; // slices of sparse buckets: one entry each
    for (int b = 0; b < buckets; b++) {
      long count = histogram.count(b);
      if (count >= width) {
        heights[used++] = count / width;
      } else {
        ones += count;
      }
    }
    Arrays.sort(heights, 0, used);
    long nonempty = Math.min(modeSize, ones + used * width);
    boolean exact = histogram.isExact();
    if (nonempty == 0) {
      return new SliceSummary(0, modeSize, 0, 0, 0, 0, exact);
    }
    return new SliceSummary(
        nonempty,
        modeSize - nonempty,
        quantile(heights, used, ones, width, 0),
        quantile(heights, used, ones, width, 0.5),
        quantile(heights, used, ones, width, 0.99),
        quantile(heights, used, ones, width, 1),
        exact);
  }

  /** The q-quantile (nearest rank) of the ones followed by the sorted heights, each width times. */
  private static long quantile(long[] heights, int used, long ones, long width, double q) {
    long slices = ones + used * width;
    long rank = Math.max(1, (long) Math.ceil(q * slices));
    return rank <= ones ? 1 : heights[(int) ((rank - ones - 1) / width)];
  }
}
