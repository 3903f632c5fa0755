package org.weft.spark.key;

import java.nio.ByteBuffer;

/** Numbers as eight bytes, the highest first, that compare as the numbers do. */
public final class KeyNumbers {
  private KeyNumbers() {}

  public static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number ^ Long.MIN_VALUE).array();
  }

  /** NaN comes last. */
  public static byte[] bytes(double number) {
    return bytes(ordered(Double.doubleToLongBits(number)));
  }

  /** The number of {@link #bytes(long)}. */
  public static long whole(ByteBuffer in) {
    return in.getLong() ^ Long.MIN_VALUE;
  }

  /** The number of {@link #bytes(double)}. */
  public static double real(ByteBuffer in) {
    return Double.longBitsToDouble(ordered(whole(in)));
  }

  /** The bits of a double as a number in the order of doubles, and back. */
  private static long ordered(long bits) {
    return bits >= 0 ? bits : bits ^ Long.MAX_VALUE;
  }
}
