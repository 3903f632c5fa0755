package org.weft.storage.binary;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.CooBlock;

/**
 * One block of entries as bytes, little-endian:
 *
 * <pre>
 * u32 marker | u32 entries n | order x { i64 base, u8 width } | u8 valueWidth
 * order x { n coordinates minus base, width bytes each, unsigned }
 * n values (f64 or f32 by valueWidth 8 or 4), or for valueWidth 0 one f64 that all share
 * u32 CRC32C of everything before
 * </pre>
 *
 * <p>Widths are 0, 1, 2, 4 or 8: a column of one coordinate costs nothing. Values take four bytes
 * where that loses no bit.
 */
final class WtbBlock {
  static final int MARKER = 0x4B4C4257;
  static final int MAX_ENTRIES = 1 << 20;
  static final int CHECK_BYTES = 4;
  private static final int FIXED_BYTES = 9;
  private static final int COLUMN_BYTES = 9;

  private WtbBlock() {}

  /** Bytes before the columns. */
  static int headBytes(int order) {
    return FIXED_BYTES + COLUMN_BYTES * order;
  }

  /** Bytes of the whole block whose head starts {@code head}; -1 if it is no block's. */
  static long blockBytes(ByteBuffer head, int order) {
    int entries = head.getInt(4);
    if (head.getInt(0) != MARKER || entries < 1 || entries > MAX_ENTRIES) {
      return -1;
    }
    long bytes = headBytes(order) + CHECK_BYTES;
    for (int mode = 0; mode < order; mode++) {
      int width = head.get(8 + COLUMN_BYTES * mode + 8);
      if (width < 0 || width > 8 || Integer.bitCount(width) > 1) {
        return -1;
      }
      bytes += (long) entries * width;
    }
    int valueWidth = head.get(8 + COLUMN_BYTES * order);
    if (valueWidth != 0 && valueWidth != 4 && valueWidth != 8) {
      return -1;
    }
    return bytes + (valueWidth == 0 ? Double.BYTES : (long) entries * valueWidth);
  }

  static byte[] encode(CooBlock block) {
    int order = block.order();
    int n = block.size();
    long[] bases = new long[order];
    int[] widths = new int[order];
    long bytes = headBytes(order) + CHECK_BYTES;
    for (int mode = 0; mode < order; mode++) {
      widths[mode] = measure(block, mode, bases);
      bytes += (long) n * widths[mode];
    }
    int valueWidth = valueWidth(block);
    bytes += valueWidth == 0 ? Double.BYTES : (long) n * valueWidth;
    ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(bytes)).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(MARKER).putInt(n);
    for (int mode = 0; mode < order; mode++) {
      out.putLong(bases[mode]).put((byte) widths[mode]);
    }
    out.put((byte) valueWidth);
    for (int mode = 0; mode < order; mode++) {
      for (int e = 0; e < n; e++) {
        putUnsigned(out, widths[mode], block.coordinate(mode, e) - bases[mode]);
      }
    }
    putValues(out, block, valueWidth);
    out.putInt(checkSum(out.array(), 0, out.position()));
    return out.array();
  }

  /** Sets the smallest coordinate as base; returns the bytes that the largest needs above it. */
  private static int measure(CooBlock block, int mode, long[] bases) {
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int e = 0; e < block.size(); e++) {
      least = Math.min(least, block.coordinate(mode, e));
      most = Math.max(most, block.coordinate(mode, e));
    }
    bases[mode] = least;
    long range = most - least;
    if (range == 0) {
      return 0;
    }
    return range <= 0xFF ? 1 : range <= 0xFFFF ? 2 : range <= 0xFFFF_FFFFL ? 4 : 8;
  }

  private static int valueWidth(CooBlock block) {
    boolean same = true;
    boolean floats = true;
    long first = Double.doubleToRawLongBits(block.value(0));
    for (int e = 0; e < block.size(); e++) {
      double value = block.value(e);
      long bits = Double.doubleToRawLongBits(value);
      same &= bits == first;
      floats &= Double.doubleToRawLongBits((double) (float) value) == bits;
    }
    return same ? 0 : floats ? Float.BYTES : Double.BYTES;
  }

  private static void putValues(ByteBuffer out, CooBlock block, int valueWidth) {
    if (valueWidth == 0) {
      out.putDouble(block.value(0));
      return;
    }
    for (int e = 0; e < block.size(); e++) {
      if (valueWidth == Double.BYTES) {
        out.putDouble(block.value(e));
      } else {
        out.putFloat((float) block.value(e));
      }
    }
  }

  private static void putUnsigned(ByteBuffer out, int width, long value) {
    switch (width) {
      case 1 -> out.put((byte) value);
      case 2 -> out.putShort((short) value);
      case 4 -> out.putInt((int) value);
      case 8 -> out.putLong(value);
      default -> {
        // Width 0: the base says it all.
      }
    }
  }

  /** The entries of a block whose check sum has been verified; null if a coordinate is negative. */
  static @Nullable CooBlock decode(ByteBuffer in, int order) {
    int n = in.getInt(4);
    int at = headBytes(order);
    Object[] columns = new Object[order];
    for (int mode = 0; mode < order; mode++) {
      long base = in.getLong(8 + COLUMN_BYTES * mode);
      int width = in.get(8 + COLUMN_BYTES * mode + 8);
      long[] wide = new long[n];
      long most = 0;
      for (int e = 0; e < n; e++) {
        wide[e] = base + getUnsigned(in, at + e * width, width);
        if (base < 0 || wide[e] < base) {
          return null;
        }
        most = Math.max(most, wide[e]);
      }
      columns[mode] = most <= Integer.MAX_VALUE ? narrow(wide) : wide;
      at += n * width;
    }
    int valueWidth = in.get(8 + COLUMN_BYTES * order);
    double[] values = new double[n];
    for (int e = 0; e < n; e++) {
      values[e] =
          valueWidth == Float.BYTES ? in.getFloat(at + 4 * e) : in.getDouble(at + valueWidth * e);
    }
    return CooBlock.ofColumns(columns, values, n);
  }

  private static int[] narrow(long[] wide) {
    int[] column = new int[wide.length];
    for (int e = 0; e < wide.length; e++) {
      column[e] = (int) wide[e];
    }
    return column;
  }

  private static long getUnsigned(ByteBuffer in, int at, int width) {
    return switch (width) {
      case 0 -> 0;
      case 1 -> in.get(at) & 0xFF;
      case 2 -> in.getShort(at) & 0xFFFF;
      case 4 -> in.getInt(at) & 0xFFFF_FFFFL;
      default -> in.getLong(at);
    };
  }

  static int checkSum(byte[] bytes, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, to - from);
    return (int) crc.getValue();
  }
}
