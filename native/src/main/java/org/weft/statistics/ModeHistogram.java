package org.weft.statistics;

import java.io.Serializable;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.weft.runtime.ColumnPasses;

/**
 * Stored entries per slice of one mode, in buckets of a power-of-two number of slices.
 *
 * <p>A bucket is one slice until a coordinate reaches 2^22; then the width doubles as often as the
 * largest coordinate asks for. Width and buckets therefore depend on the entries alone, never on
 * the order in which they were added or merged. Memory: 4 bytes a bucket (8 past 2^31 entries), at
 * most 16 MiB (32), and no more than twice the buckets in use. Not safe for concurrent writers.
 */
public final class ModeHistogram implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Buckets at most; a mode of up to this many slices is counted exactly. */
  public static final int MAXIMUM_BUCKETS = 1 << 22;

  private static final int INITIAL_BUCKETS = 64;
  private static final int RUN = 1024;

  private int shift;
  private long largest = -1;
  private long total;
  // One of the two is in use: counts fit an int while the total does.
  private int[] narrow = new int[INITIAL_BUCKETS];
  private long[] wide = {};
  // What readers have worked out from the counts; null after a change.
  private transient volatile @Nullable SliceHeights heights;
  private transient volatile long @Nullable [] runs;
  private transient volatile @Nullable Double nonempty;

  /** Counts one entry. Cost {@code O(1)} amortised. */
  public void add(long coordinate) {
    add(coordinate, 1);
  }

  /** Counts {@code entries} entries of one slice. */
  public void add(long coordinate, long entries) {
    if (coordinate < 0 || entries < 0) {
      throw new IllegalArgumentException(
          "coordinate and count must not be negative: " + coordinate + ", " + entries);
    }
    if (entries == 0) {
      return;
    }
    reserve(coordinate, entries);
    int bucket = (int) (coordinate >>> shift);
    if (wide.length > 0) {
      wide[bucket] += entries;
    } else {
      narrow[bucket] += (int) entries;
    }
  }

  /**
   * Counts entries of buckets of {@code 2^width} slices from bucket {@code first} on: {@code
   * entries[b]} of the first slice of the bucket, but those of the last one of the slice {@code
   * last}.
   *
   * @param count buckets
   * @throws IllegalArgumentException if a number is negative, or the sum of all too large
   */
  public void addBuckets(int width, long first, long last, long[] entries, int count) {
    long sum = ColumnPasses.sumWithin(entries, count, Long.MAX_VALUE - total);
    if (sum < 0) {
      throw new IllegalArgumentException(
          "a negative number or too large ones in buckets " + first + " to " + (first + count - 1));
    }
    int used = count;
    while (used > 0 && entries[used - 1] == 0) {
      used--;
    }
    if (used == 0) {
      return;
    }
    long most = used == count ? last : (first + used - 1) << width;
    reserve(most, sum);
    int bucket = (int) (most >>> shift);
    if (wide.length > 0) {
      for (int b = 0; b < used - 1; b++) {
        wide[(int) (((first + b) << width) >>> shift)] += entries[b];
      }
      wide[bucket] += entries[used - 1];
    } else {
      ColumnPasses.addCounts(entries, used - 1, first, width, shift, narrow);
      narrow[bucket] += (int) entries[used - 1];
    }
  }

  /** Counts the entries {@code [from, to)} of a coordinate column. */
  public void addAll(int[] column, int from, int to) {
    if (to <= from) {
      return;
    }
    long max = ColumnPasses.largest(column, from, to);
    requireNotNegative(max);
    reserve(max, to - (long) from);
    if (wide.length == 0) {
      ColumnPasses.count(column, from, to, max, shift, narrow);
      return;
    }
    for (int e = from; e < to; e++) {
      wide[column[e] >>> shift]++;
    }
  }

  /** Counts the entries {@code [from, to)} of a coordinate column. */
  public void addAll(long[] column, int from, int to) {
    long max = -1;
    long signs = 0;
    for (int e = from; e < to; e++) {
      max = Math.max(max, column[e]);
      signs |= column[e];
    }
    requireNotNegative(signs);
    if (to <= from) {
      return;
    }
    reserve(max, to - (long) from);
    int s = shift;
    if (wide.length > 0) {
      for (int e = from; e < to; e++) {
        wide[(int) (column[e] >>> s)]++;
      }
    } else {
      for (int e = from; e < to; e++) {
        narrow[(int) (column[e] >>> s)]++;
      }
    }
  }

  /** Adds the counts of {@code other}, which stays as it is, to this histogram; returns this. */
  public ModeHistogram merge(ModeHistogram other) {
    if (other.total == 0) {
      return this;
    }
    reserve(other.largest, other.total);
    int down = shift - other.shift;
    int from = other.buckets();
    if (wide.length > 0) {
      for (int b = 0; b < from; b++) {
        wide[b >>> down] += other.count(b);
      }
    } else { // then the other's counts are narrow, too
      int[] to = narrow;
      int[] counts = other.narrow;
      for (int b = 0; b < from; b++) {
        to[b >>> down] += counts[b];
      }
    }
    return this;
  }

  /** Slices of a bucket: a power of two; 1 means that every slice is counted alone. */
  public long bucketWidth() {
    return 1L << shift;
  }

  /** Whether every slice is counted alone. */
  public boolean isExact() {
    return shift == 0;
  }

  /** Buckets up to that of the largest coordinate; 0 when nothing was counted. */
  public int buckets() {
    return largest < 0 ? 0 : (int) (largest >>> shift) + 1;
  }

  /** Entries in the slices {@code [bucket * width, (bucket + 1) * width)}. */
  public long count(int bucket) {
    return wide.length > 0 ? wide[bucket] : narrow[bucket];
  }

  /**
   * The blocks of {@code 2^width} slices that have entries. Cost {@code O(buckets)}.
   *
   * @param width so that a block is a bucket at least
   */
  BitSet occupiedBlocks(int width) {
    BitSet occupied = new BitSet();
    for (int bucket = 0, count = buckets(); bucket < count; bucket++) {
      if (count(bucket) > 0) {
        occupied.set(bucket >>> (width - shift));
      }
    }
    return occupied;
  }

  /** Buckets that have entries. Cost {@code O(buckets)}. */
  int occupiedBuckets() {
    return occupiedBlocks(shift).cardinality();
  }

  /** Entries in the buckets below each bucket, and in all of them. Cost {@code O(buckets)}. */
  public long[] runningCounts() {
    int buckets = buckets();
    if (wide.length == 0) {
      return ColumnPasses.runningSums(narrow, buckets);
    }
    long[] below = new long[buckets + 1];
    for (int b = 0; b < buckets; b++) {
      below[b + 1] = below[b] + wide[b];
    }
    return below;
  }

  /** All entries counted. */
  public long total() {
    return total;
  }

  /** Largest coordinate counted; -1 when nothing was. */
  public long largestCoordinate() {
    return largest;
  }

  /**
   * Entries in the slices {@code [from, to)}; a bucket that is only partly inside counts by the
   * share of its slices. Cost {@code O(buckets of the range)}, {@code O(1)} for all slices.
   */
  public double countBetween(long from, long to) {
    if (from <= 0 && to > largest) {
      return total;
    }
    long last = Math.min(to, largest + 1);
    if (isExact() && wide.length == 0) {
      int first = (int) Math.max(0, Math.min(from, last));
      return ColumnPasses.sum(narrow, first, (int) Math.max(first, last));
    }
    double sum = 0;
    long width = bucketWidth();
    for (long c = from; c < last; ) {
      long bucket = c >>> shift;
      long end = Math.min(last, endOf(bucket));
      sum +=
          count((int) bucket)
              * ((end - c) / (double) Math.min(width, largest + 1 - (bucket << shift)));
      c = end;
    }
    return sum;
  }

  /** Slices of {@code [from, to)} that have an entry; an estimate unless {@link #isExact()}. */
  public double nonemptyBetween(long from, long to) {
    if (from > 0 || to <= largest) {
      return sumOfNonempty(from, to);
    }
    @Nullable Double known = nonempty;
    if (known == null) {
      known = sumOfNonempty();
      nonempty = known;
    }
    return known;
  }

  /** Of all slices; the last bucket may have fewer than the others. */
  private double sumOfNonempty() {
    long width = bucketWidth();
    double[] sum = new double[1];
    forEachHeight((height, buckets) -> sum[0] += Math.min(width, height) * (double) buckets);
    if (largest >= 0) {
      int last = buckets() - 1;
      long slices = largest + 1 - ((long) last << shift);
      sum[0] += Math.min(slices, count(last)) - Math.min(width, count(last));
    }
    return sum[0];
  }

  private double sumOfNonempty(long from, long to) {
    long last = Math.min(to, largest + 1);
    if (isExact() && wide.length == 0) {
      int first = (int) Math.max(0, Math.min(from, last));
      return ColumnPasses.nonzero(narrow, first, (int) Math.max(first, last));
    }
    double sum = 0;
    for (long c = from; c < last; ) {
      long bucket = c >>> shift;
      long end = Math.min(last, endOf(bucket));
      sum += Math.min(end - c, count((int) bucket));
      c = end;
    }
    return sum;
  }

  /** One past the last slice of {@code bucket}; the last bucket of 2^63 slices ends at 2^63 - 1. */
  private long endOf(long bucket) {
    long end = (bucket + 1) << shift;
    return end < 0 ? Long.MAX_VALUE : end;
  }

  /**
   * Share of the entries that lies in the {@code slices} slices with the most, 0 to 1. Cost {@code
   * O(buckets)} at the first call after a change, then {@code O(log entries)}.
   */
  public double shareOfHeaviest(long slices) {
    int buckets = buckets();
    long heaviest = slices >>> shift;
    if (total == 0 || heaviest >= buckets) {
      return 1;
    }
    return heights().entriesOf(heaviest) / total;
  }

  /**
   * Calls {@code visitor} for each height of a bucket with an entry, from the highest. Cost {@code
   * O(buckets)} at the first call after a change, then {@code O(sqrt(entries))}.
   */
  public void forEachHeight(HeightVisitor visitor) {
    visit(heights(), visitor);
  }

  /**
   * As {@link #forEachHeight(HeightVisitor)} for blocks of {@code slices} slices, or for buckets
   * where those are wider. Cost {@code O(buckets)} at each call for blocks wider than a bucket, and
   * at the first call alone for multiples of {@value #RUN} buckets.
   */
  public void forEachHeight(long slices, HeightVisitor visitor) {
    if (slices <= bucketWidth() || largest < 0) {
      forEachHeight(visitor);
      return;
    }
    boolean whole = slices % (bucketWidth() * RUN) == 0;
    long width = whole ? bucketWidth() * RUN : bucketWidth();
    long[] runs = whole ? runs() : new long[0];
    int parts = whole ? runs.length : buckets();
    long[] blocks = new long[Math.toIntExact(largest / slices + 1)];
    int block = 0;
    long end = slices;
    for (int part = 0; part < parts; part++) {
      if (part * width >= end) {
        block++;
        end += slices;
      }
      blocks[block] += whole ? runs[part] : count(part);
    }
    visit(SliceHeights.of(blocks, blocks.length), visitor);
  }

  /** Entries of {@value #RUN} buckets each. */
  private long[] runs() {
    long @Nullable [] known = runs;
    if (known == null) {
      int buckets = buckets();
      known = new long[(buckets + RUN - 1) / RUN];
      for (int r = 0; r < known.length; r++) {
        int end = Math.min(buckets, (r + 1) * RUN);
        if (wide.length > 0) {
          known[r] = Arrays.stream(wide, r * RUN, end).sum();
        } else {
          known[r] = ColumnPasses.sum(narrow, r * RUN, end);
        }
      }
      runs = known;
    }
    return known;
  }

  private static void visit(SliceHeights heights, HeightVisitor visitor) {
    heights.forEach(
        (height, buckets) -> {
          if (height > 0) {
            visitor.visit(height, buckets);
          }
        });
  }

  /** Takes a height, in entries, and the number of buckets that have it. */
  @FunctionalInterface
  public interface HeightVisitor {
    void visit(long height, long buckets);
  }

  private SliceHeights heights() {
    @Nullable SliceHeights known = heights;
    if (known == null) {
      known =
          wide.length > 0 ? SliceHeights.of(wide, buckets()) : SliceHeights.of(narrow, buckets());
      heights = known;
    }
    return known;
  }

  /** How the entries spread over the slices of a mode. Cost {@code O(buckets log buckets)}. */
  public SliceSummary summary(long modeSize) {
    return SliceSummary.of(this, modeSize);
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof ModeHistogram that)
        || shift != that.shift
        || largest != that.largest
        || total != that.total) {
      return false;
    }
    for (int b = 0, n = buckets(); b < n; b++) {
      if (count(b) != that.count(b)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    long hash = 31 * total + largest;
    for (int b = 0, n = buckets(); b < n; b++) {
      hash = 31 * hash + count(b);
    }
    return Long.hashCode(hash);
  }

  @Override
  public String toString() {
    return "ModeHistogram["
        + total
        + " entries, "
        + buckets()
        + " buckets of "
        + bucketWidth()
        + "]";
  }

  private Object writeReplace() {
    return new HistogramBytes(this);
  }

  private static void requireNotNegative(long signs) {
    if (signs < 0) {
      throw new IllegalArgumentException("a coordinate is negative");
    }
  }

  /** Makes room for {@code entries} more entries up to {@code coordinate} and counts the total. */
  void reserve(long coordinate, long entries) {
    while ((coordinate >>> shift) >= MAXIMUM_BUCKETS) {
      coarsen();
    }
    heights = null;
    runs = null;
    nonempty = null;
    total = Math.addExact(total, entries);
    largest = Math.max(largest, coordinate);
    int needed = (int) (coordinate >>> shift) + 1;
    if (wide.length == 0 && total > Integer.MAX_VALUE) {
      wide = Arrays.stream(narrow).asLongStream().toArray();
      narrow = new int[0];
    }
    if (needed > narrow.length + wide.length) {
      int size = Math.max(INITIAL_BUCKETS, Integer.highestOneBit(needed - 1) << 1);
      if (wide.length > 0) {
        wide = Arrays.copyOf(wide, size);
      } else {
        narrow = Arrays.copyOf(narrow, size);
      }
    }
  }

  /** Doubles the bucket width. */
  private void coarsen() {
    int half = (narrow.length + wide.length) / 2;
    for (int b = 0; b < half; b++) {
      if (wide.length > 0) {
        wide[b] = wide[2 * b] + wide[2 * b + 1];
      } else {
        narrow[b] = narrow[2 * b] + narrow[2 * b + 1];
      }
    }
    if (wide.length > 0) {
      Arrays.fill(wide, half, wide.length, 0);
    } else {
      Arrays.fill(narrow, half, narrow.length, 0);
    }
    shift++;
  }
}
