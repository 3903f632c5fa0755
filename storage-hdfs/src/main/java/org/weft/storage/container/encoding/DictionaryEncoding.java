package org.weft.storage.container.encoding;

import org.weft.memory.ElementType;
import org.weft.memory.NativeMemory;
import org.weft.runtime.BlockDecoder;

/**
 * The different elements of a block, in order of appearance, and for each element the bit-packed
 * number of its like; for values of which there are few, such as counts and ratings:
 *
 * <pre>
 * block := u32 k, 1 to 4096 | k elements | u8 width w, 0 to 12 | ceil(n w / 8) bytes
 * </pre>
 */
final class DictionaryEncoding implements ArrayEncoding {
  private static final int LARGEST = 4096;
  private static final int TABLE_BITS = 14;
  private static final int TABLE = 1 << TABLE_BITS;
  private static final int CHUNK = 1024;

  @Override
  public String name() {
    return "dictionary";
  }

  @Override
  public boolean suits(ElementType type) {
    return type.bytes() >= Integer.BYTES;
  }

  @Override
  public int encode(
      ElementType type, long elements, int count, long scratch, long out, int capacity) {
    long[] different = new long[LARGEST];
    int[] table = new int[TABLE];
    long[] chunk = new long[CHUNK];
    int k = 0;
    for (int from = 0; from < count; from += CHUNK) {
      int n = Math.min(CHUNK, count - from);
      BitPacking.load(type, elements + (long) from * type.bytes(), chunk, n);
      for (int i = 0; i < n; i++) {
        int slot = slot(table, different, chunk[i]);
        if (table[slot] == 0) {
          if (k == LARGEST) {
            return -1;
          }
          different[k++] = chunk[i];
          table[slot] = k;
        }
      }
    }
    int width = BitPacking.width(k - 1);
    long bytes = 5 + (long) k * type.bytes() + BitPacking.bytes(count, width);
    if (bytes > capacity) {
      return -1;
    }
    NativeMemory.putInt(out, k);
    BitPacking.store(type, out + 4, different, k);
    long at = out + 4 + (long) k * type.bytes();
    NativeMemory.putByte(at++, (byte) width);
    for (int from = 0; from < count; from += CHUNK) {
      int n = Math.min(CHUNK, count - from);
      BitPacking.load(type, elements + (long) from * type.bytes(), chunk, n);
      for (int i = 0; i < n; i++) {
        chunk[i] = table[slot(table, different, chunk[i])] - 1L;
      }
      BitPacking.pack(chunk, n, width, at);
      at += BitPacking.bytes(n, width);
    }
    return (int) bytes;
  }

  /**
   * Where {@code element} is in the hash table of numbers counted from 1, or the free slot. The
   * slot is the highest bits of the product, which depend on all bits of the element: those of a
   * small whole number as a floating-point value are high ones.
   */
  private static int slot(int[] table, long[] different, long element) {
    long hash = element * 0x9E3779B97F4A7C15L;
    int slot = (int) (hash >>> Long.SIZE - TABLE_BITS);
    while (table[slot] != 0 && different[table[slot] - 1] != element) {
      slot = slot + 1 & TABLE - 1;
    }
    return slot;
  }

  @Override
  public boolean decode(
      ElementType type, long in, int bytes, long scratch, long elements, int count) {
    return BlockDecoder.dictionary(type, in, bytes, elements, count);
  }
}
