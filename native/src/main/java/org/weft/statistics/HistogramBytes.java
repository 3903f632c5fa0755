package org.weft.statistics;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** A {@link ModeHistogram} as bytes. Public only because serialisation demands it. */
public final class HistogramBytes implements Externalizable {
  private static final long serialVersionUID = 1L;
  private static final int FORMAT_VERSION = 1;

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
    for (int b = 0; b < buckets; b++) {
      long count = histogram.count(b);
      writeVariable(out, count);
      if (count == 0) {
        int run = b;
        while (histogram.count(run + 1) == 0) { // the last bucket is never empty
          run++;
        }
        writeVariable(out, run - (long) b);
        b = run;
      }
    }
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
    ModeHistogram h = new ModeHistogram();
    if (largest < 0) {
      return h;
    }
    h.reserve(largest, 0);
    int buckets = h.buckets();
    for (int b = 0; b < buckets; b++) {
      long count = readVariable(in);
      if (count == 0) {
        b = Math.toIntExact(b + readVariable(in));
      } else {
        h.add(Math.min(largest, b * h.bucketWidth()), count);
      }
    }
    return h;
  }

  private static void writeVariable(DataOutput out, long value) throws IOException {
    while (value > 0x7F) {
      out.writeByte((int) (value | 0x80));
      value >>>= 7;
    }
    out.writeByte((int) value);
  }

  private static long readVariable(DataInput in) throws IOException {
    long value = 0;
    for (int at = 0; at < 63; at += 7) {
      byte next = in.readByte();
      value |= (next & 0x7FL) << at;
      if (next >= 0) {
        return value;
      }
    }
    throw new WeftException(
        ErrorCode.CORRUPT_INPUT, "expected a count of a mode histogram, found more than 63 bits");
  }
}
