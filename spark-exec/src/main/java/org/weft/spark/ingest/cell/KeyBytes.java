package org.weft.spark.ingest.cell;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.weft.spark.key.KeyNumbers;

/**
 * Keys as byte strings that compare, byte by byte from 0, as the keys do: text in UTF-8, numbers as
 * {@link KeyNumbers} writes them.
 */
public final class KeyBytes {
  private KeyBytes() {}

  /**
   * @param key a string, a long or a double
   */
  public static byte[] of(Object key) {
    if (key instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    return key instanceof Double number
        ? KeyNumbers.bytes((double) number)
        : KeyNumbers.bytes(((Number) key).longValue());
  }

  /** The key of {@link #of}. */
  static Object key(Bucket.KeyType type, byte[] bytes) {
    return switch (type) {
      case TEXT -> new String(bytes, StandardCharsets.UTF_8);
      case LONG -> KeyNumbers.whole(ByteBuffer.wrap(bytes));
      case DOUBLE -> KeyNumbers.real(ByteBuffer.wrap(bytes));
    };
  }
}
