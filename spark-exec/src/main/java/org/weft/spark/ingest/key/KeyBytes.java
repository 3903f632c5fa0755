package org.weft.spark.ingest.key;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.weft.spark.ingest.cell.Bucket;

/**
 * Keys as byte strings that compare, byte by byte from 0, as the keys do: text in UTF-8; integers
 * and floating-point numbers as eight bytes, the highest first.
 */
final class KeyBytes {
  private KeyBytes() {}

  /**
   * @param key a string, a long or a double
   */
  static byte[] of(Object key) {
    if (key instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    long bits =
        key instanceof Double number
            ? ordered(Double.doubleToLongBits(number))
            : ((Number) key).longValue();
    return ByteBuffer.allocate(Long.BYTES).putLong(bits ^ Long.MIN_VALUE).array();
  }

  /** The key of {@link #of}. */
  static Object key(Bucket.KeyType type, byte[] bytes) {
    return switch (type) {
      case TEXT -> new String(bytes, StandardCharsets.UTF_8);
      case LONG -> number(bytes);
      case DOUBLE -> Double.longBitsToDouble(ordered(number(bytes)));
    };
  }

  private static long number(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong() ^ Long.MIN_VALUE;
  }

  /** The bits of a double as a number in the order of doubles, and back. */
  private static long ordered(long bits) {
    return bits >= 0 ? bits : bits ^ Long.MAX_VALUE;
  }

  /** The label of a key, in UTF-8. */
  static byte[] label(Bucket bucket, byte[] key) {
    return bucket.keyType() == Bucket.KeyType.TEXT
        ? key
        : bucket.label(key(bucket.keyType(), key)).getBytes(StandardCharsets.UTF_8);
  }
}
