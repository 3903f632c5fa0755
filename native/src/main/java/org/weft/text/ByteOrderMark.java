package org.weft.text;

/** What editors put before a text in UTF-8. It is no part of the text. */
public final class ByteOrderMark {
  /** As a reader of characters finds it. */
  public static final char CHARACTER = '\uFEFF';

  /** Its bytes in UTF-8. */
  public static final int BYTES = 3;

  private static final byte[] UTF_8 = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private ByteOrderMark() {}

  /** A text, or its first line, without the mark that it may start with. */
  public static String strip(String text) {
    return !text.isEmpty() && text.charAt(0) == CHARACTER ? text.substring(1) : text;
  }

  /** How many of the first {@code length} bytes are a mark: {@link #BYTES} or 0. */
  public static int bytesOf(byte[] text, int length) {
    if (length < BYTES) {
      return 0;
    }
    for (int at = 0; at < BYTES; at++) {
      if (text[at] != UTF_8[at]) {
        return 0;
      }
    }
    return BYTES;
  }
}
