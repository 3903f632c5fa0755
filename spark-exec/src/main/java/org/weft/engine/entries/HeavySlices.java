package org.weft.engine.entries;

import java.io.Serializable;
import java.util.Arrays;
import java.util.function.IntBinaryOperator;
import java.util.stream.IntStream;
import org.weft.statistics.ModeHistogram;

/**
 * Slices of a mode with the highest scores, and their numbers among themselves: 0, 1, ... in the
 * order of the mode. Slices go by the buckets of a {@link ModeHistogram}, which are single slices
 * in all but the largest modes.
 *
 * @param shift a bucket has {@code 2^shift} slices
 * @param buckets ascending
 */
@SuppressWarnings("ArrayRecordComponent")
public record HeavySlices(int shift, int[] buckets) implements Serializable {

  /**
   * The slices of the highest scores that together hold a share of the entries, but at least some
   * number of them. Of slices with equal scores the seed decides.
   *
   * @param scores of the buckets
   * @param share of the entries
   * @param least slices, if so many have entries
   */
  static HeavySlices of(
      ModeHistogram counts, double[] scores, double share, long least, long seed) {
    int shift = Long.numberOfTrailingZeros(counts.bucketWidth());
    int[] heaviest =
        IntStream.range(0, counts.buckets()).filter(bucket -> counts.count(bucket) > 0).toArray();
    IntBinaryOperator order =
        (a, b) -> {
          int byScore = Double.compare(scores[b], scores[a]);
          int bySeed =
              byScore != 0
                  ? byScore
                  : Long.compare(HashedSplit.mixed(seed + a), HashedSplit.mixed(seed + b));
          return bySeed != 0 ? bySeed : Integer.compare(a, b);
        };
    double wanted = share * counts.total();
    int from = 0; // those before are kept, and hold:
    double held = 0;
    for (int to = heaviest.length; from < to; ) {
      int pivot = partition(heaviest, from, to, order);
      double more = held;
      for (int at = from; at < pivot; at++) {
        more += counts.count(heaviest[at]);
      }
      if (more >= wanted && (long) pivot << shift >= least) {
        to = pivot;
      } else {
        held = more + counts.count(heaviest[pivot]);
        from = pivot + 1;
      }
    }
    int[] buckets = Arrays.copyOf(heaviest, from);
    Arrays.sort(buckets);
    return new HeavySlices(shift, buckets);
  }

  /** Puts those that come before one of them on its left, and returns where this one is. */
  private static int partition(int[] items, int from, int to, IntBinaryOperator order) {
    int last = to - 1;
    swap(items, from + (last - from) / 2, last);
    int pivot = items[last];
    int place = from;
    for (int at = from; at < last; at++) {
      if (order.applyAsInt(items[at], pivot) < 0) {
        swap(items, at, place++);
      }
    }
    swap(items, place, last);
    return place;
  }

  private static void swap(int[] items, int a, int b) {
    int item = items[a];
    items[a] = items[b];
    items[b] = item;
  }

  /** Whether there are others with entries. */
  boolean isPart(ModeHistogram counts) {
    return IntStream.range(0, counts.buckets()).filter(b -> counts.count(b) > 0).count()
        > buckets.length;
  }

  /** How many there are. */
  public long size() {
    return (long) buckets.length << shift;
  }

  /** The slice of a number. */
  public long slice(long number) {
    return ((long) buckets[(int) (number >>> shift)] << shift) + (number & ((1L << shift) - 1));
  }

  /** The number of a slice of the mode, or -1 if it is not among these. */
  public long number(long slice) {
    int found = Arrays.binarySearch(buckets, (int) (slice >>> shift));
    return found < 0 ? -1 : ((long) found << shift) + (slice & ((1L << shift) - 1));
  }
}
