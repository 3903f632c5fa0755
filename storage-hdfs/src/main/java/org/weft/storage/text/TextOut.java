package org.weft.storage.text;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Numbers as text into one buffer, without a string per number. */
final class TextOut implements Closeable {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int TOKEN_BYTES = 32;

  private final OutputStream out;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final byte[] reversed = new byte[TOKEN_BYTES];
  private final ShortestDecimal decimals = new ShortestDecimal();
  private int at;

  TextOut(OutputStream out) {
    this.out = out;
  }

  /** A non-negative number and the byte after it. */
  void number(long value, char after) throws IOException {
    room();
    int count = 0;
    long rest = value;
    do {
      reversed[count++] = (byte) ('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    while (count > 0) {
      buffer[at++] = reversed[--count];
    }
    buffer[at++] = (byte) after;
  }

  /** A number and the byte after it. */
  void signed(long value, char after) throws IOException {
    room();
    for (char c : Long.toString(value).toCharArray()) {
      buffer[at++] = (byte) c;
    }
    buffer[at++] = (byte) after;
  }

  /** A double in shortest round-trip form and the byte after it. */
  void number(double value, char after) throws IOException {
    room();
    at = decimals.write(value, buffer, at);
    buffer[at++] = (byte) after;
  }

  /** A float in shortest round-trip form and the byte after it. */
  void number(float value, char after) throws IOException {
    room();
    at = decimals.write(value, buffer, at);
    buffer[at++] = (byte) after;
  }

  void text(String text) throws IOException {
    flushBuffer();
    out.write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private void room() throws IOException {
    if (at > BUFFER_BYTES - TOKEN_BYTES) {
      flushBuffer();
    }
  }

  void flushBuffer() throws IOException {
    out.write(buffer, 0, at);
    at = 0;
  }

  /** Flushes and closes the stream below; closes it even if flushing fails. */
  @Override
  public void close() throws IOException {
    try (OutputStream closing = out) {
      flushBuffer();
      closing.flush();
    }
  }
}
