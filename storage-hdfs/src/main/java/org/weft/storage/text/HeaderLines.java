package org.weft.storage.text;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.weft.storage.SourceFile;
import org.weft.text.ByteOrderMark;

/**
 * The first lines of a text file, one at a time, with their offsets: for headers. A UTF-8
 * byte-order mark at the very beginning is passed over.
 */
final class HeaderLines implements Closeable {

  private final LineBuffer lines;
  private final LineRules rules;
  private final LineErrors errors;
  private final long start;
  private boolean commentNamesHeader;

  /**
   * A line.
   *
   * @param offset of its first byte in the decompressed file
   * @param next offset of the line after it, or of the end of the file
   */
  record Line(long offset, long next, String text) {
    String[] tokens() {
      String stripped = text.strip();
      return stripped.isEmpty() ? new String[0] : stripped.split("\\s+");
    }
  }

  private HeaderLines(SourceFile file, long start, LineRules rules) throws IOException {
    this.rules = rules;
    this.start = start;
    this.errors = new LineErrors(file);
    this.lines = LineBuffer.fromLine(file, start, rules);
  }

  static HeaderLines open(SourceFile file, LineRules rules) throws IOException {
    return new HeaderLines(file, textStart(file), rules);
  }

  /** Offset of the first byte that is text: 3 after a byte-order mark, otherwise 0. */
  private static long textStart(SourceFile file) throws IOException {
    try (InputStream in = file.open(0)) {
      byte[] first = in.readNBytes(ByteOrderMark.BYTES);
      return ByteOrderMark.bytesOf(first, first.length);
    }
  }

  /** Offset of the first byte that is text. */
  long start() {
    return start;
  }

  /** Whether a comment passed so far announces the extended header. */
  boolean commentNamesHeader() {
    return commentNamesHeader;
  }

  /** The next line, or null at the end. */
  @Nullable Line next() throws IOException {
    try {
      if (lines.from() == lines.to() && !lines.next()) {
        return null;
      }
    } catch (LineBuffer.LineTooLong e) {
      throw errors.tooLong(e.offset());
    }
    int from = lines.from();
    byte[] b = lines.line(from);
    errors.requireOneLine(b, lines.offset(from));
    lines.readTo(from + b.length);
    String text = new String(b, 0, b.length - 1, StandardCharsets.UTF_8);
    return new Line(lines.offset(from), lines.offsetBehind(from + b.length), text);
  }

  /** The very first line, which must not be one that is passed over because it is too long. */
  @Nullable Line first() throws IOException {
    Line line = next();
    if (lines.dropped() > 0) {
      throw errors.tooLong(start);
    }
    return line;
  }

  /** The next line that is neither blank nor a comment, or null at the end. */
  @Nullable Line nextContent() throws IOException {
    for (Line line = next(); line != null; line = next()) {
      String stripped = line.text().strip();
      if (stripped.isEmpty()) {
        continue;
      }
      if (!rules.isComment(stripped.charAt(0))) {
        return line;
      }
      commentNamesHeader |= stripped.contains("extended FROSTT");
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
