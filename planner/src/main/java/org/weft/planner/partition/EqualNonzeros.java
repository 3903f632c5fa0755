package org.weft.planner.partition;

import java.util.ArrayList;
import java.util.List;
import org.weft.statistics.ModeHistogram;
import org.weft.text.Counts;

/**
 * Cuts a mode where the running count of entries crosses equal shares.
 *
 * <p>A cut falls on the slice boundary nearest to its share. It is good when it is within {@value
 * #TOLERANCE} of a partition from it, so that a partition between two good cuts is within 5 % of
 * the mean. When the slice on the share is heavier than a partition, or no boundary is within
 * {@value #COARSE_TOLERANCE} of a partition, the range up to the next good cut becomes several
 * pieces, which a hash of the other coordinates fills evenly. Pieces repeat the rows of their
 * range, so a range whose repeated rows would outnumber a quarter of its entries (and {@value
 * #FREE_ROWS}) is not split as a whole: the heavy slice in it is cut out and split alone, and the
 * remaining shares are computed anew.
 *
 * <p>Cost {@code O(buckets + partitions^2)} at worst, {@code O(buckets + partitions log buckets)}
 * without heavy slices. A bucket of several slices is cut like one slice.
 */
public final class EqualNonzeros implements Partitioner {
  static final double TOLERANCE = 0.025;
  static final double COARSE_TOLERANCE = 0.25;
  static final long FREE_ROWS = 4096;

  @Override
  public ModePartitioning partition(
      int mode, long modeSize, ModeHistogram histogram, int partitions) {
    if (partitions < 1) {
      throw new IllegalArgumentException("expected at least 1 partition, found " + partitions);
    }
    if (modeSize <= histogram.largestCoordinate()) {
      throw new IllegalArgumentException(
          "mode "
              + mode
              + " has "
              + Counts.plain(modeSize, "slice")
              + " but an entry at "
              + histogram.largestCoordinate());
    }
    return new ModePartitioning(mode, modeSize, new Cutting(modeSize, histogram).cut(partitions));
  }

  /** One run of the algorithm over the buckets of a histogram, left to right. */
  private static final class Cutting {
    private final long modeSize;
    private final long width;
    private final int buckets;
    private final long[] before; // before[b]: entries in the buckets below b
    private final List<SliceRange> ranges = new ArrayList<>();

    private int at; // buckets below are in a range
    private int left; // partitions that are still to be filled
    private double gridStart; // entries at which the current equal shares begin
    private double share; // entries of an equal share
    private int gridStep; // shares consumed since gridStart

    Cutting(long modeSize, ModeHistogram histogram) {
      this.modeSize = modeSize;
      width = histogram.bucketWidth();
      buckets = histogram.buckets();
      before = histogram.runningCounts();
    }

    List<SliceRange> cut(int partitions) {
      long total = before[buckets];
      left = (int) Math.max(1, Math.min(partitions, total));
      if (total == 0) {
        return List.of(new SliceRange(0, modeSize, 0, 1));
      }
      startGrid();
      while (at < buckets) {
        if (!goodCut()) {
          isolateHeavySlice();
        }
      }
      return ranges;
    }

    private void startGrid() {
      gridStart = before[at];
      gridStep = 0;
      share = (before[buckets] - gridStart) / Math.max(1, left);
    }

    /** Emits the range up to the next good cut, unless its pieces would repeat too many rows. */
    private boolean goodCut() {
      for (int n = 1; n <= left; n++) {
        double target = gridStart + share * (gridStep + n);
        int cut = n == left ? buckets : nearestCut(target);
        long rows = sliceAt(cut) - sliceAt(at);
        long entries = before[cut] - before[at];
        if (n > 1 && rows * n > Math.max(FREE_ROWS, entries / 4)) {
          return false;
        }
        if (n == left || isGood(cut, target)) {
          emit(cut, n);
          gridStep += n;
          return true;
        }
      }
      return false;
    }

    private boolean isGood(int cut, double target) {
      double deviation = Math.abs(before[cut] - target);
      if (deviation <= TOLERANCE * share) {
        return true;
      }
      int slice = bucketAt(target);
      return deviation <= COARSE_TOLERANCE * share && before[slice + 1] - before[slice] <= share;
    }

    /** Splits the slice on the next share alone, after a partition of what lies before it. */
    private void isolateHeavySlice() {
      double target = gridStart + share * (gridStep + 1);
      int slice = bucketAt(target);
      long weight = before[slice + 1] - before[slice];
      if (weight <= share) {
        emit(nearestCut(target), 1);
      } else if (before[slice] > before[at]) {
        emit(slice, 1);
      } else {
        boolean last = before[slice + 1] == before[buckets];
        int most = last ? left : left - 1;
        int pieces = (int) Math.max(1, Math.min(most, Math.round(weight / share)));
        extendLastTo(slice);
        emit(slice + 1, pieces);
      }
      startGrid();
    }

    /** Moves the empty slices up to {@code bucket} into the range before, if it is not split. */
    private void extendLastTo(int bucket) {
      if (bucket > at && !ranges.isEmpty()) {
        SliceRange last = ranges.get(ranges.size() - 1);
        if (last.pieces() == 1) {
          ranges.set(ranges.size() - 1, new SliceRange(last.from(), sliceAt(bucket), 0, 1));
          at = bucket;
        }
      }
    }

    private void emit(int cut, int pieces) {
      int end = before[cut] == before[buckets] ? buckets : cut;
      for (int piece = 0; piece < pieces; piece++) {
        ranges.add(new SliceRange(sliceAt(at), sliceAt(end), piece, pieces));
      }
      at = end;
      left -= pieces;
    }

    /** The bucket that holds the entry number {@code target}. */
    private int bucketAt(double target) {
      return Math.max(at, firstAtLeast(target) - 1);
    }

    /** The cut beyond {@code at}, leaving something before it, nearest to {@code target}. */
    private int nearestCut(double target) {
      int above = firstAtLeast(target);
      int below = above - 1;
      boolean belowIsNearer = target - before[below] < before[above] - target;
      return belowIsNearer && before[below] > before[at] ? below : above;
    }

    /** The first cut beyond {@code at} with at least {@code target} entries before it. */
    private int firstAtLeast(double target) {
      int low = at + 1;
      int high = buckets;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (before[middle] >= target) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }

    private long sliceAt(int bucket) {
      return bucket == buckets ? modeSize : bucket * width;
    }
  }
}
