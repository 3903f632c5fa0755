package org.weft.statistics;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.util.Arrays;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** A {@link ModeHistogram} as bytes. Public only because serialisation demands it. */
public final class HistogramBytes implements Externalizable {
  private static final long serialVersionUID = 1L;
  private static final int FORMAT_VERSION = 2;
  private static final int LONGEST_NUMBER = 9;
  private static final int BUCKETS_AT_A_TIME = 1 << 16;

  private ModeHistogram histogram;

  /** For serialisation, which then reads. */
  public HistogramBytes() {
    this(new ModeHistogram());
  }

  HistogramBytes(ModeHistogram histogram) {
    this.histogram = histogram;
  }

  @Override
  public void writeExternal(ObjectOutput out) throws IOException {
    write(histogram, out);
  }

  @Override
  public void readExternal(ObjectInput in) throws IOException {
    histogram = read(in);
  }

  private Object readResolve() {
    return histogram;
  }

  /** Writes the counts as runs of variable-length integers: about a byte for a light slice. */
  public static void write(ModeHistogram histogram, DataOutput out) throws IOException {
    out.writeByte(FORMAT_VERSION);
    out.writeByte(Long.numberOfTrailingZeros(histogram.bucketWidth()));
    out.writeLong(histogram.largestCoordinate());
    int buckets = histogram.buckets();
    byte[] runs = new byte[buckets + 2 * LONGEST_NUMBER];
    int size = 0;
    for (int b = 0; b < buckets; b++) {
      if (runs.length - size < 2 * LONGEST_NUMBER) {
        runs = Arrays.copyOf(runs, 2 * runs.length);
      }
      long count = histogram.count(b);
      size = put(runs, size, count);
      if (count == 0) {
        int run = b;
        while (histogram.count(run + 1) == 0) { // the last bucket is never empty
          run++;
        }
        size = put(runs, size, run - (long) b);
        b = run;
      }
    }
    out.writeInt(size);
    out.write(runs, 0, size);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws WeftException CORRUPT_INPUT when the bytes are something else
   */
  public static ModeHistogram read(DataInput in) throws IOException {
    int version = in.readByte();
    int shift = in.readByte();
    long largest = in.readLong();
    boolean plausible =
        version == FORMAT_VERSION
            && shift >= 0
            && shift < 63
            && (largest < 0 || (largest >>> shift) < ModeHistogram.MAXIMUM_BUCKETS);
    if (!plausible) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          "expected a mode histogram of version "
              + FORMAT_VERSION
              + ", found version "
              + version
              + ", bucket shift "
              + shift
              + ", largest coordinate "
              + largest);
    }
    int size = in.readInt();
    if (size < 0) {
      throw corrupt("the size of a mode histogram", Integer.toString(size));
    }
    byte[] runs = new byte[size];
    in.readFully(runs);
    ModeHistogram histogram = new ModeHistogram();
    if (largest >= 0) {
      histogram.reserve(largest, 0);
      new Runs(runs).addTo(histogram, largest);
    }
    return histogram;
  }

  private static int put(byte[] runs, int at, long number) {
    int end = at;
    long left = number;
    while (left > 0x7F) {
      runs[end++] = (byte) (left | 0x80);
      left >>>= 7;
    }
    runs[end++] = (byte) left;
    return end;
  }

  /** Goes through bytes. */
  private static final class Runs {
    private final byte[] runs;
    private int at;

    Runs(byte[] runs) {
      this.runs = runs;
    }

    /** Adds the counts of all buckets, some at a time. */
    void addTo(ModeHistogram histogram, long largest) {
      int buckets = histogram.buckets();
      int width = Long.numberOfTrailingZeros(histogram.bucketWidth());
      long[] counts = new long[Math.min(buckets, BUCKETS_AT_A_TIME)];
      long empty = 0; // buckets that follow
      for (int first = 0; first < buckets; first += counts.length) {
        int some = Math.min(counts.length, buckets - first);
        for (int b = 0; b < some; b++) {
          counts[b] = 0;
          if (empty > 0) {
            empty--;
          } else {
            counts[b] = number();
            empty = counts[b] == 0 ? number() : 0;
          }
        }
        long last = Math.min(largest, ((first + (long) some) << width) - 1);
        histogram.addBuckets(width, first, last, counts, some);
      }
      if (at < runs.length || empty > 0) {
        throw corrupt("the counts of " + buckets + " buckets", "those of others");
      }
    }

    private long number() {
      long value = 0;
      for (int shift = 0; shift < 63 && at < runs.length; shift += 7) {
        byte next = runs[at++];
        value |= (next & 0x7FL) << shift;
        if (next >= 0) {
          return value;
        }
      }
      throw corrupt(
          "a count of a mode histogram", at < runs.length ? "more than 63 bits" : "the end");
    }
  }

  private static WeftException corrupt(String expected, String found) {
    return new WeftException(ErrorCode.CORRUPT_INPUT, "expected " + expected + ", found " + found);
  }
}
