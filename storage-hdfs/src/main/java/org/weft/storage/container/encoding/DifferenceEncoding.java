package org.weft.storage.container.encoding;

import org.weft.memory.ElementType;
import org.weft.memory.NativeMemory;
import org.weft.runtime.BlockDecoder;

/**
 * Whole numbers as bit-packed differences, from the least of their group or from the number before:
 *
 * <pre>
 * block  := group of 256 numbers *, the last shorter
 * group  := u8 width w, 0 to 56 | u8 kind | base | [step, if kind is 1] | ceil(n w / 8) bytes
 * kind 0 :  e[i] = base + d[i]
 * kind 1 :  e[i] = e[i-1] + step + d[i],  e[-1] = base
 * </pre>
 *
 * <p>Base and step have 8 bytes for 64-bit numbers and 4 for narrower ones; sums wrap around at
 * that size. A group costs 6 to 18 bytes besides its bits.
 */
final class DifferenceEncoding implements ArrayEncoding {
  private static final int GROUP = 256;

  @Override
  public String name() {
    return "difference";
  }

  @Override
  public boolean suits(ElementType type) {
    return !type.isFloating();
  }

  @Override
  public int encode(
      ElementType type, long elements, int count, long scratch, long out, int capacity) {
    int wordBytes = type == ElementType.I64 ? Long.BYTES : Integer.BYTES;
    long[] group = new long[GROUP];
    long at = out;
    for (int from = 0; from < count; from += GROUP) {
      int n = Math.min(GROUP, count - from);
      BitPacking.load(type, elements + (long) from * type.bytes(), group, n);
      long least = group[0];
      long most = group[0];
      long leastStep = n > 1 ? Long.MAX_VALUE : 0;
      long mostStep = n > 1 ? Long.MIN_VALUE : 0;
      for (int i = 0; i < n; i++) {
        least = Math.min(least, group[i]);
        most = Math.max(most, group[i]);
        if (i > 0) {
          leastStep = Math.min(leastStep, group[i] - group[i - 1]);
          mostStep = Math.max(mostStep, group[i] - group[i - 1]);
        }
      }
      int absolute = BitPacking.width(most - least);
      int relative = BitPacking.width(mostStep - leastStep);
      boolean steps = n * (absolute - relative) > 8 * wordBytes;
      int width = steps ? relative : absolute;
      int bytes = 2 + (steps ? 2 : 1) * wordBytes + BitPacking.bytes(n, width);
      if (width > BitPacking.MAX_WIDTH || at - out + bytes > capacity) {
        return -1;
      }
      if (steps) {
        long before = group[0] - leastStep;
        for (int i = n - 1; i > 0; i--) {
          group[i] = group[i] - group[i - 1] - leastStep;
        }
        group[0] = 0;
        at = head(at, width, wordBytes, before, leastStep, true);
      } else {
        for (int i = 0; i < n; i++) {
          group[i] -= least;
        }
        at = head(at, width, wordBytes, least, 0, false);
      }
      BitPacking.pack(group, n, width, at);
      at += BitPacking.bytes(n, width);
    }
    return (int) (at - out);
  }

  private static long head(long at, int width, int wordBytes, long base, long step, boolean steps) {
    NativeMemory.putByte(at, (byte) width);
    NativeMemory.putByte(at + 1, (byte) (steps ? 1 : 0));
    putWord(at + 2, wordBytes, base);
    if (steps) {
      putWord(at + 2 + wordBytes, wordBytes, step);
    }
    return at + 2 + (steps ? 2 : 1) * wordBytes;
  }

  private static void putWord(long at, int wordBytes, long word) {
    if (wordBytes == Long.BYTES) {
      NativeMemory.putLong(at, word);
    } else {
      NativeMemory.putInt(at, (int) word);
    }
  }

  @Override
  public boolean decode(
      ElementType type, long in, int bytes, long scratch, long elements, int count) {
    return BlockDecoder.differences(type, in, bytes, elements, count);
  }
}
