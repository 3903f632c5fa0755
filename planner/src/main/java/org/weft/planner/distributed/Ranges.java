package org.weft.planner.distributed;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.weft.statistics.ModeHistogram;
import org.weft.text.Counts;

/**
 * Consecutive ranges that cover the coordinates of a label: part {@code p} has those from {@code
 * starts[p]} to below {@code starts[p + 1]}.
 */
public final class Ranges implements Serializable {
  private static final long serialVersionUID = 1L;

  private final long[] starts;

  private Ranges(long[] starts) {
    this.starts = starts;
  }

  /** At most {@code parts} ranges of equal length, at least one. */
  public static Ranges equal(long size, int parts) {
    int count = (int) Math.max(1, Math.min(parts, size));
    long[] starts = new long[count + 1];
    for (int p = 0; p < count; p++) {
      starts[p] = Math.round((double) size * p / count);
    }
    starts[count] = size; // a double does not hold all of them
    return new Ranges(starts);
  }

  /**
   * At most {@code parts} ranges with about as many entries each, by the histograms of the modes
   * that have the label. A slice is never divided.
   */
  public static Ranges ofEqualEntries(long size, List<ModeHistogram> histograms, int parts) {
    long total = histograms.stream().mapToLong(ModeHistogram::total).sum();
    if (total == 0 || parts == 1) {
      return equal(size, parts);
    }
    long width = histograms.stream().mapToLong(ModeHistogram::bucketWidth).max().orElse(1);
    long[] starts = new long[parts + 1];
    int ranges = 0;
    double before = 0;
    for (long at = 0, end = 0; at < size && ranges + 1 < parts; at = end) {
      end = size - at > width ? at + width : size;
      double here = 0;
      for (ModeHistogram histogram : histograms) { // there may be millions of buckets
        here += histogram.countBetween(at, end);
      }
      double share = (double) total * (ranges + 1) / parts;
      // The cut nearest to the share: before this bucket, or behind it in the next round.
      if (at > starts[ranges] && before + here / 2 >= share) {
        starts[++ranges] = at;
      }
      before += here;
    }
    starts[ranges + 1] = size;
    return new Ranges(Arrays.copyOf(starts, ranges + 2));
  }

  public int parts() {
    return starts.length - 1;
  }

  public long size() {
    return starts[starts.length - 1];
  }

  public long from(int part) {
    return starts[part];
  }

  /** Coordinates of {@code part}. */
  public long length(int part) {
    return starts[part + 1] - starts[part];
  }

  /** Coordinates of the part that has the most. */
  public long longest() {
    long longest = 0;
    for (int part = 0; part < parts(); part++) {
      longest = Math.max(longest, length(part));
    }
    return longest;
  }

  /** The part that {@code coordinate} lies in. Cost: {@code O(log parts)}. */
  public int partOf(long coordinate) {
    int found = Arrays.binarySearch(starts, coordinate);
    int part = found >= 0 ? found : -found - 2;
    while (part + 1 < starts.length - 1 && starts[part + 1] <= coordinate) {
      part++; // ranges without coordinates begin where the next one does
    }
    return Math.min(part, parts() - 1);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s of %,d", Counts.plain(parts(), "range"), size());
  }
}
