package org.weft.storage.text;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Compression;
import org.weft.storage.SourceFile;
import org.weft.storage.codec.Bzip2Source;

/**
 * Errors that name file and line. Readers of a split know byte offsets only; the lines before an
 * offset are counted here, when there is an error to report and not before. Damage of a compressed
 * file shows as wrong lines before its check sum is read: then the damage is the error.
 */
final class LineErrors {
  private static final int SHOWN_CHARACTERS = 60;

  /** Bytes of text that are looked through for damage: more would take longer than a moment. */
  private static final long CHECKED_BYTES = 1L << 30;

  private final SourceFile file;
  private final long blocksFrom;

  LineErrors(SourceFile file) {
    this(file, 0);
  }

  /** Errors at offsets that count from the bzip2 block at byte {@code blocksFrom} of the file. */
  LineErrors(SourceFile file, long blocksFrom) {
    this.file = file;
    this.blocksFrom = blocksFrom;
  }

  /** The error of the line that starts at {@code offset}: {@code file:line: message}. */
  WeftException at(long offset, ErrorCode code, String message) {
    WeftException damage = damage();
    if (damage != null) {
      return damage;
    }
    String where;
    try {
      where = ":" + (1 + linesBefore(offset));
    } catch (IOException e) {
      where = ", the line at byte " + offset;
    }
    return new WeftException(code, file.uri() + where + ": " + message);
  }

  /** The error of a file as a whole. */
  WeftException ofFile(ErrorCode code, String message) {
    WeftException damage = damage();
    return damage != null ? damage : new WeftException(code, file.uri() + ": " + message);
  }

  /** What the decoder of a compressed file finds in the bytes from here on. */
  private @Nullable WeftException damage() {
    try {
      if (file.compression() == Compression.NONE) {
        return null;
      }
      try (InputStream in =
          blocksFrom == 0 ? file.open(0) : file.openBlocks(blocksFrom, Long.MAX_VALUE)) {
        byte[] buffer = new byte[1 << 16];
        long done = 0;
        for (int n = 0; n >= 0 && done < CHECKED_BYTES; done += n) {
          n = in.read(buffer, 0, buffer.length);
        }
      }
      return null;
    } catch (WeftException e) {
      return e;
    } catch (IOException e) {
      return null; // the error at hand says more
    }
  }

  /** Throws if a line has a carriage return with text behind it. */
  void requireOneLine(byte[] line, long offset) {
    int stray = LineRules.strayReturn(line);
    if (stray >= 0) {
      throw at(
          offset,
          ErrorCode.MALFORMED_INPUT,
          "expected lines that end with a line feed, found a carriage return and more text at byte "
              + (stray + 1)
              + " of the line; convert the line ends: tr '\\r' '\\n' < FILE > CONVERTED");
    }
  }

  WeftException tooLong(long offset) {
    return at(
        offset,
        ErrorCode.MALFORMED_INPUT,
        "expected a line of at most "
            + LineBuffer.CAPACITY
            + " bytes, found a longer one; is this text whose lines end with a line feed?");
  }

  private long linesBefore(long offset) throws IOException {
    if (blocksFrom == 0) {
      try (InputStream in = file.open(0)) {
        return lines(in, () -> offset);
      }
    }
    try (Bzip2Source in = file.openBlocks(0, blocksFrom)) {
      return lines(
          in, () -> in.boundary() == Long.MAX_VALUE ? Long.MAX_VALUE : in.boundary() + offset);
    }
  }

  /** The line ends among the first bytes of {@code in}, how many may turn out while reading. */
  private static long lines(InputStream in, LongSupplier bytes) throws IOException {
    byte[] buffer = new byte[1 << 16];
    long lines = 0;
    long done = 0;
    while (done < bytes.getAsLong()) {
      int n = in.read(buffer, 0, buffer.length);
      if (n < 0) {
        break;
      }
      int counted = (int) Math.min(n, bytes.getAsLong() - done);
      for (int i = 0; i < counted; i++) {
        lines += buffer[i] == '\n' ? 1 : 0;
      }
      done += n;
    }
    return lines;
  }

  /** The line that starts at {@code from}, quoted, shortened, control characters replaced. */
  static String quoteLine(byte[] b, int from) {
    int end = from;
    while (b[end] != '\n') {
      end++;
    }
    return quote(b, from, end);
  }

  /** The token that starts at {@code from}, quoted. */
  static String quoteToken(byte[] b, int from) {
    int end = from;
    while (!LineRules.endsToken(b[end])) {
      end++;
    }
    return quote(b, from, end);
  }

  private static String quote(byte[] b, int from, int to) {
    int shown = Math.min(to, from + SHOWN_CHARACTERS);
    String text = new String(b, from, shown - from, StandardCharsets.UTF_8);
    StringBuilder quoted = new StringBuilder("'");
    text.strip().chars().forEach(c -> quoted.append(c < ' ' || c == 0x7F ? '?' : (char) c));
    return quoted.append(shown < to ? "...'" : "'").toString();
  }
}
