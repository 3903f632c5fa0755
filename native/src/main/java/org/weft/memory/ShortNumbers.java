package org.weft.memory;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteOrder;

/**
 * Arrays of {@code int}, {@code long} or {@code double} in no more bytes than their largest number
 * takes. Coordinates and counts are small mostly, so that entries that are sent or kept in bytes
 * often take less than half. All bits of each number come back, those of NaN and of negative zero,
 * too.
 *
 * <p>The first byte says how: the bytes of each number; or {@link #SIGNED} and the bytes, where the
 * lowest bit is the sign; or {@link #FLOATS}.
 */
public final class ShortNumbers {
  private static final int SIGNED = 16;
  private static final int FLOATS = 32;
  private static final int MOST_SIGNED_BYTES = 4; // a double's whole numbers of more are rare
  private static final int CHUNK = 1 << 13; // numbers
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private ShortNumbers() {}

  /** Writes the first {@code count} elements of {@code numbers}. */
  public static void write(DataOutput out, Object numbers, int count) throws IOException {
    if (numbers instanceof int[] ints) {
      write(out, ints, count);
    } else if (numbers instanceof long[] longs) {
      write(out, longs, count);
    } else {
      write(out, (double[]) numbers, count);
    }
  }

  private static void write(DataOutput out, int[] numbers, int count) throws IOException {
    int all = 0;
    for (int i = 0; i < count; i++) {
      all |= numbers[i];
    }
    int width = width(all & 0xffffffffL);
    out.writeByte(width);
    Chunk chunk = new Chunk(out, width, count);
    for (int i = 0; i < count; i++) {
      chunk.add(numbers[i]);
    }
    chunk.end();
  }

  private static void write(DataOutput out, long[] numbers, int count) throws IOException {
    long all = 0;
    long signed = 0;
    for (int i = 0; i < count; i++) {
      all |= numbers[i];
      signed |= folded(numbers[i]);
    }
    boolean fold = width(signed) < width(all);
    int width = width(fold ? signed : all);
    out.writeByte(fold ? SIGNED + width : width);
    Chunk chunk = new Chunk(out, width, count);
    for (int i = 0; i < count; i++) {
      chunk.add(fold ? folded(numbers[i]) : numbers[i]);
    }
    chunk.end();
  }

  private static void write(DataOutput out, double[] numbers, int count) throws IOException {
    long signed = 0;
    boolean whole = true;
    for (int i = 0; i < count && whole; i++) {
      long number = (long) numbers[i];
      whole = Double.doubleToRawLongBits(number) == Double.doubleToRawLongBits(numbers[i]);
      signed |= folded(number);
    }
    if (whole && width(signed) <= MOST_SIGNED_BYTES) {
      writeWhole(out, numbers, count, width(signed));
      return;
    }
    boolean floats = true;
    for (int i = 0; i < count && floats; i++) {
      floats = isFloat(numbers[i]);
    }
    out.writeByte(floats ? FLOATS : Double.BYTES);
    if (!floats) {
      ArrayBytes.write(out, numbers, count);
      return;
    }
    Chunk chunk = new Chunk(out, Float.BYTES, count);
    for (int i = 0; i < count; i++) {
      chunk.add(Float.floatToRawIntBits((float) numbers[i]));
    }
    chunk.end();
  }

  private static void writeWhole(DataOutput out, double[] numbers, int count, int width)
      throws IOException {
    out.writeByte(SIGNED + width);
    Chunk chunk = new Chunk(out, width, count);
    for (int i = 0; i < count; i++) {
      chunk.add(folded((long) numbers[i]));
    }
    chunk.end();
  }

  private static boolean isFloat(double number) {
    double back = Float.intBitsToFloat(Float.floatToRawIntBits((float) number));
    return Double.doubleToRawLongBits(back) == Double.doubleToRawLongBits(number);
  }

  /** Reads all elements of {@code numbers}, an array of the type that was written. */
  public static void read(DataInput in, Object numbers) throws IOException {
    int how = in.readUnsignedByte();
    boolean signed = (how & SIGNED) != 0;
    int width = how == FLOATS ? Float.BYTES : how & ~SIGNED;
    if (width > Long.BYTES) {
      throw new IOException("expected numbers of at most 8 bytes, found " + how);
    }
    if (numbers instanceof int[] ints) {
      Source source = new Source(in, width, ints.length);
      for (int i = 0; i < ints.length; i++) {
        ints[i] = (int) source.next();
      }
    } else if (numbers instanceof long[] longs) {
      Source source = new Source(in, width, longs.length);
      for (int i = 0; i < longs.length; i++) {
        long next = source.next();
        longs[i] = signed ? unfolded(next) : next;
      }
    } else if (how == Double.BYTES) {
      ArrayBytes.read(in, numbers);
    } else {
      double[] doubles = (double[]) numbers;
      Source source = new Source(in, width, doubles.length);
      for (int i = 0; i < doubles.length; i++) {
        long next = source.next();
        doubles[i] = signed ? unfolded(next) : Float.intBitsToFloat((int) next);
      }
    }
  }

  private static int width(long bits) {
    return (Long.SIZE - Long.numberOfLeadingZeros(bits) + Byte.SIZE - 1) / Byte.SIZE;
  }

  private static long folded(long number) {
    return number << 1 ^ number >> Long.SIZE - 1;
  }

  private static long unfolded(long folded) {
    return folded >>> 1 ^ -(folded & 1);
  }

  /** Numbers on their way out. Each is stored as 8 bytes, of which the next one overwrites some. */
  private static final class Chunk {
    private final DataOutput out;
    private final int width;
    private final byte[] bytes;
    private final int full;
    private int at;

    Chunk(DataOutput out, int width, int count) {
      this.out = out;
      this.width = width;
      this.full = Math.max(1, width * Math.min(CHUNK, count)); // numbers may take no bytes
      this.bytes = new byte[full + Long.BYTES];
    }

    void add(long number) throws IOException {
      NativeMemory.putLong(bytes, at, LITTLE ? number : Long.reverseBytes(number));
      at += width;
      if (at >= full) {
        end();
      }
    }

    void end() throws IOException {
      out.write(bytes, 0, at);
      at = 0;
    }
  }

  /** Numbers on their way in. */
  private static final class Source {
    private final DataInput in;
    private final int width;
    private final long mask;
    private final byte[] bytes;
    private final int full;
    private long left;
    private int at;

    Source(DataInput in, int width, int count) {
      this.in = in;
      this.width = width;
      this.mask = width == Long.BYTES ? -1 : (1L << width * Byte.SIZE) - 1;
      this.full = width * Math.min(CHUNK, count);
      this.bytes = new byte[full + Long.BYTES];
      this.left = (long) width * count;
      this.at = full;
    }

    long next() throws IOException {
      if (at >= full && width > 0) {
        int some = (int) Math.min(full, left);
        in.readFully(bytes, 0, some);
        left -= some;
        at = 0;
      }
      long number = NativeMemory.getLong(bytes, at);
      at += width;
      return (LITTLE ? number : Long.reverseBytes(number)) & mask;
    }
  }
}
