package org.weft.engine.entries;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
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
        IntStream.range(0, counts.buckets())
            .filter(bucket -> counts.count(bucket) > 0)
            .boxed()
            .sorted(
                Comparator.comparingDouble((Integer bucket) -> -scores[bucket])
                    .thenComparingLong(bucket -> HashedSplit.mixed(seed + bucket))
                    .thenComparing(Comparator.naturalOrder()))
            .mapToInt(Integer::intValue)
            .toArray();
    double wanted = share * counts.total();
    int kept = 0;
    for (double held = 0;
        kept < heaviest.length && (held < wanted || (long) kept << shift < least);
        kept++) {
      held += counts.count(heaviest[kept]);
    }
    int[] buckets = Arrays.copyOf(heaviest, kept);
    Arrays.sort(buckets);
    return new HeavySlices(shift, buckets);
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
