package org.weft.runtime;

import org.weft.memory.ElementType;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;

/**
 * Makes elements of the encoded blocks of stored arrays, in the C++ runtime: the first compiler of
 * the JVM, which is all that a short job has, makes code for this that takes ten times as long.
 * Blocks need not be believed: whatever their bytes are, nothing but the elements is written. Cost
 * {@code O(count)}.
 */
public final class BlockDecoder {
  /** Bytes that may be read behind an encoded block: eight are loaded at a time. */
  public static final int SLACK_BYTES = 8;

  private static final int ARGUMENTS = 10 * Long.BYTES;
  private static final long ANY = -1;

  /** What {@code decode.h} numbers. */
  private enum Coding {
    DIFFERENCE,
    DICTIONARY,
    PLANES,
    WIDEN
  }

  private BlockDecoder() {}

  /**
   * Decodes {@code count} whole numbers that are bit-packed differences; false if the bytes are no
   * such block.
   */
  public static boolean differences(
      ElementType type, long block, int bytes, long elements, int count) {
    if (type.isFloating()) {
      throw new IllegalArgumentException("expected whole numbers, found " + type);
    }
    return decode(Coding.DIFFERENCE, type, block, bytes, type, elements, count, ANY);
  }

  /**
   * Decodes {@code count} elements of 4 or 8 bytes that are bit-packed numbers of a dictionary;
   * false if the bytes are no such block.
   */
  public static boolean dictionary(
      ElementType type, long block, int bytes, long elements, int count) {
    if (type.bytes() < Integer.BYTES) {
      throw new IllegalArgumentException("expected elements of 4 or 8 bytes, found " + type);
    }
    return decode(Coding.DICTIONARY, type, block, bytes, type, elements, count, ANY);
  }

  /** Joins {@code count} elements of which all first bytes come first, then all second bytes. */
  public static void planes(ElementType type, long planes, long elements, int count) {
    int bytes = Math.multiplyExact(count, type.bytes());
    if (!decode(Coding.PLANES, type, planes, bytes, type, elements, count, ANY)) {
      throw new IllegalStateException("planes of " + count + " elements in " + bytes + " bytes");
    }
  }

  /** What {@link #planes} joins: all first bytes of the elements, then all second bytes. */
  public static void splitPlanes(ElementType type, long elements, int count, long planes) {
    NativeRuntime.require();
    NativeRuntime.splitPlanes(elements, type.bytes(), count, planes);
  }

  /**
   * Stores whole numbers of one type as another. Numbers for {@code I32} keep their low bits; for
   * all other types this is false if one is negative or does not fit.
   */
  public static boolean convert(
      ElementType from, long numbers, ElementType to, long elements, int count) {
    if (from.isFloating() || to.isFloating()) {
      throw new IllegalArgumentException("expected whole numbers, found " + from + " to " + to);
    }
    long largest =
        switch (to) {
          case I32 -> ANY;
          case I64 -> Long.MAX_VALUE;
          default -> (1L << Byte.SIZE * to.bytes()) - 1;
        };
    int bytes = Math.multiplyExact(count, from.bytes());
    return decode(Coding.WIDEN, from, numbers, bytes, to, elements, count, largest);
  }

  private static boolean decode(
      Coding coding,
      ElementType from,
      long block,
      int bytes,
      ElementType to,
      long elements,
      int count,
      long largest) {
    if (bytes < 0 || count < 0) {
      throw new IllegalArgumentException(count + " elements of " + bytes + " bytes");
    }
    NativeRuntime.require();
    boolean signed = from == ElementType.I32 || from == ElementType.I64;
    long[] arguments = {
      0,
      coding.ordinal(),
      block,
      bytes,
      from.bytes(),
      elements,
      count,
      signed ? 1 : 0,
      to.bytes(),
      largest
    };
    MemorySource memory = MemorySource.system();
    long address = memory.allocate(ARGUMENTS);
    try {
      for (int slot = 0; slot < arguments.length; slot++) {
        NativeMemory.putLong(address + (long) slot * Long.BYTES, arguments[slot]);
      }
      NativeRuntime.decodeBlock(address);
      return NativeMemory.getLong(address) == 0;
    } finally {
      memory.free(address, ARGUMENTS);
    }
  }
}
