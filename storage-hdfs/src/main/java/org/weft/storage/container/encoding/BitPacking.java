package org.weft.storage.container.encoding;

import org.weft.memory.ElementType;
import org.weft.memory.NativeMemory;

/**
 * Numbers of the same few bits one after the other, the first in the lowest bits of the first byte.
 * Widths reach 56 bits, so that eight bytes from the one where a number starts hold it whole.
 */
public final class BitPacking {
  static final int MAX_WIDTH = 56;

  private BitPacking() {}

  /** Bits that {@code largest}, taken as unsigned, needs. */
  static int width(long largest) {
    return 64 - Long.numberOfLeadingZeros(largest);
  }

  static int bytes(int count, int width) {
    return (int) (((long) count * width + 7) >>> 3);
  }

  /** Packs numbers of {@code width} bits at {@code out}; writes exactly {@link #bytes}. */
  static void pack(long[] numbers, int count, int width, long out) {
    long at = out;
    long buffer = 0;
    int bits = 0;
    for (int i = 0; i < count; i++) {
      buffer |= numbers[i] << bits;
      bits += width;
      while (bits >= 8) {
        NativeMemory.putByte(at++, (byte) buffer);
        buffer >>>= 8;
        bits -= 8;
      }
    }
    if (bits > 0) {
      NativeMemory.putByte(at, (byte) buffer);
    }
  }

  /** Loads elements; those of unsigned types zero-extended, floating ones as their bits. */
  public static void load(ElementType type, long from, long[] numbers, int count) {
    for (int i = 0; i < count; i++) {
      numbers[i] =
          switch (type) {
            case U8 -> NativeMemory.getByte(from + i) & 0xFFL;
            case U16 -> NativeMemory.getShort(from + 2L * i) & 0xFFFFL;
            case U32, F32 -> NativeMemory.getInt(from + 4L * i) & 0xFFFF_FFFFL;
            case I32 -> NativeMemory.getInt(from + 4L * i);
            case I64, F64 -> NativeMemory.getLong(from + 8L * i);
          };
    }
  }

  /** Stores the low bits of numbers as elements. */
  public static void store(ElementType type, long to, long[] numbers, int count) {
    switch (type.bytes()) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          NativeMemory.putByte(to + i, (byte) numbers[i]);
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          NativeMemory.putShort(to + 2L * i, (short) numbers[i]);
        }
      }
      case 4 -> {
        for (int i = 0; i < count; i++) {
          NativeMemory.putInt(to + 4L * i, (int) numbers[i]);
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          NativeMemory.putLong(to + 8L * i, numbers[i]);
        }
      }
    }
  }
}
