package org.weft.storage.text;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import org.weft.storage.SourceFile;

/**
 * Runs of whole lines of a byte range of a text file, in one buffer that is used again and again.
 *
 * <p>A range holds the lines whose first byte lies in it: the reader of a later range starts one
 * byte early and passes over everything up to the first line end, and reads past its own end until
 * the line that started inside is complete. So ranges may fall anywhere, and every line is in
 * exactly one. Within a run every line ends with {@code \n}, one being added at the end of the file
 * where it is missing, so that scanning needs no bounds check of its own.
 */
final class LineBuffer implements Closeable {
  /** Bytes of a line at most: more than 1,000 modes need. */
  static final int CAPACITY = 1 << 18;

  private final InputStream in;
  private final byte[] bytes = new byte[CAPACITY + 1];
  private final long end;
  private final LineRules rules;
  private int from;
  private int to;
  private int filled;
  private long base;
  private long dropped;
  private boolean endOfFile;
  private boolean last;

  /** Signals a line that does not fit the buffer; the caller names file and line. */
  static final class LineTooLong extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final long offset;

    LineTooLong(long offset) {
      super("line too long", null, false, false);
      this.offset = offset;
    }

    /** Offset of the first byte of the line. */
    long offset() {
      return offset;
    }
  }

  private LineBuffer(InputStream in, long base, long end, LineRules rules) {
    this.in = in;
    this.base = base;
    this.end = end;
    this.rules = rules;
  }

  /** The lines from {@code start}, which is the beginning of a line, to the end of the file. */
  static LineBuffer fromLine(SourceFile file, long start, LineRules rules) throws IOException {
    return range(file, start, start, Long.MAX_VALUE, rules);
  }

  /**
   * The lines that start in [{@code start}, {@code end}).
   *
   * @param firstLine offset at which some line is known to start
   */
  static LineBuffer range(SourceFile file, long firstLine, long start, long end, LineRules rules)
      throws IOException {
    if (start <= firstLine) {
      return new LineBuffer(file.open(firstLine), firstLine, end, rules);
    }
    LineBuffer lines = new LineBuffer(file.open(start - 1), start - 1, end, rules);
    try {
      lines.dropLine();
      return lines;
    } catch (IOException | RuntimeException e) {
      lines.close();
      throw e;
    }
  }

  byte[] bytes() {
    return bytes;
  }

  /** First unread byte of the run. */
  int from() {
    return from;
  }

  /** End of the run: after a line end. */
  int to() {
    return to;
  }

  /** Says that the run has been read up to {@code position}, the beginning of a line. */
  void readTo(int position) {
    from = position;
  }

  /** Offset in the file of the byte at {@code position} of the run. */
  long offset(int position) {
    return base + position;
  }

  /** Lines that were passed over without entering a run: comments beyond the capacity. */
  long dropped() {
    return dropped;
  }

  /** Loads the next run; call when the present one is read. False at the end of the range. */
  boolean next() throws IOException {
    if (last) {
      from = to;
      return false;
    }
    shift();
    while (true) {
      fill();
      int newline = lastNewline();
      if (newline >= 0) {
        to = newline + 1;
        return withinRange();
      }
      if (endOfFile) {
        last = true;
        if (filled > 0) {
          bytes[filled++] = '\n';
        }
        to = filled;
        return filled > 0 && withinRange();
      }
      if (base >= end) {
        last = true;
        return false;
      }
      if (!rules.startsComment(bytes, 0, filled)) {
        throw new LineTooLong(base);
      }
      dropLine();
      shift();
      dropped++;
    }
  }

  /** Ends the run after the last line that starts before {@code end}. */
  private boolean withinRange() {
    if (base >= end) {
      last = true;
      to = from;
      return false;
    }
    if (base + to >= end) {
      int newline = (int) Math.max(0, end - 1 - base);
      while (bytes[newline] != '\n') {
        newline++;
      }
      to = newline + 1;
      last = true;
    }
    return true;
  }

  /** Passes over the bytes up to and including the first line end, however far. */
  private void dropLine() throws IOException {
    while (true) {
      fill();
      for (int p = 0; p < filled; p++) {
        if (bytes[p] == '\n') {
          to = p + 1;
          from = to;
          return;
        }
      }
      to = filled;
      from = to;
      if (endOfFile) {
        return;
      }
      shift();
    }
  }

  private void shift() {
    System.arraycopy(bytes, to, bytes, 0, filled - to);
    base += to;
    filled -= to;
    from = 0;
    to = 0;
  }

  private void fill() throws IOException {
    while (filled < CAPACITY && !endOfFile) {
      int n = in.read(bytes, filled, CAPACITY - filled);
      if (n < 0) {
        endOfFile = true;
      } else {
        filled += n;
      }
    }
  }

  private int lastNewline() {
    int p = filled - 1;
    while (p >= 0 && bytes[p] != '\n') {
      p--;
    }
    return p;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
