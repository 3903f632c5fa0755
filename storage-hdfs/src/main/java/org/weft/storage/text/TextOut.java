package org.weft.storage.text;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Numbers as text in a buffer that grows, without a string per number. */
final class TextOut {
  private static final int INITIAL_BYTES = 1 << 10;
  private static final int TOKEN_BYTES = 32;

  private final ShortestDecimal decimals = new ShortestDecimal();
  private byte[] buffer = new byte[INITIAL_BYTES];
  private int at;

  /** A non-negative number and the byte after it. */
  void number(long value, char after) {
    room();
    at = Digits.write(value, buffer, at);
    buffer[at++] = (byte) after;
  }

  /** A number and the byte after it. */
  void signed(long value, char after) {
    room();
    if (value == Long.MIN_VALUE) {
      at = ShortestDecimal.text(Long.toString(value), buffer, at);
    } else {
      if (value < 0) {
        buffer[at++] = '-';
      }
      at = Digits.write(Math.abs(value), buffer, at);
    }
    buffer[at++] = (byte) after;
  }

  /** A double in shortest round-trip form and the byte after it. */
  void number(double value, char after) {
    room();
    at = decimals.write(value, buffer, at);
    buffer[at++] = (byte) after;
  }

  /** A float in shortest round-trip form and the byte after it. */
  void number(float value, char after) {
    room();
    at = decimals.write(value, buffer, at);
    buffer[at++] = (byte) after;
  }

  private void room() {
    if (at > buffer.length - TOKEN_BYTES) {
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
    }
  }

  /** Writes the text; the buffer is empty then. */
  void writeTo(OutputStream out) throws IOException {
    out.write(buffer, 0, at);
    at = 0;
  }
}
