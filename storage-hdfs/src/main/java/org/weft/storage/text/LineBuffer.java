package org.weft.storage.text;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.function.LongSupplier;
import org.weft.memory.NativeMemory;
import org.weft.runtime.LineParser;
import org.weft.storage.InputSplit;
import org.weft.storage.SourceFile;
import org.weft.storage.StreamChannel;
import org.weft.storage.codec.Bzip2Source;

/**
 * Runs of whole lines of a byte range of a text file, in one buffer off the heap that is used again
 * and again.
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

  /** Bytes behind a run that may be read, whatever they are. */
  private static final int SLACK_BYTES = LineParser.SLACK_BYTES;

  private final ReadableByteChannel in;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(CAPACITY + 1 + SLACK_BYTES);
  private final long bytes = NativeMemory.address(buffer);
  private final LongSupplier end;
  private final LineRules rules;
  private int from;
  private int to;
  private int filled;
  private long base;
  private long dropped;
  private boolean endOfFile;
  private boolean last;
  private boolean lineEndAdded;

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

  private LineBuffer(ReadableByteChannel in, long base, LongSupplier end, LineRules rules) {
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
      return new LineBuffer(file.openChannel(firstLine), firstLine, () -> end, rules);
    }
    return new LineBuffer(file.openChannel(start - 1), start - 1, () -> end, rules)
        .withoutFirstLine();
  }

  /**
   * The lines before which a byte of the blocks of {@code split} stands: the split of a bzip2 file.
   * Offsets count from the first of these blocks.
   *
   * @param firstLine offset at which the first line starts, in the first split
   */
  static LineBuffer blocks(SourceFile file, long firstLine, InputSplit split, LineRules rules)
      throws IOException {
    Bzip2Source in = file.openBlocks(split.start(), split.end());
    boolean first = split.start() == 0;
    LongSupplier end = () -> in.boundary() == Long.MAX_VALUE ? Long.MAX_VALUE : in.boundary() + 1;
    LineBuffer lines = new LineBuffer(StreamChannel.of(in), first ? firstLine : 0, end, rules);
    if (!first) {
      return lines.withoutFirstLine();
    }
    try {
      in.skipNBytes(firstLine);
      return lines;
    } catch (IOException | RuntimeException e) {
      lines.close();
      throw e;
    }
  }

  private LineBuffer withoutFirstLine() throws IOException {
    try {
      dropLine();
      return this;
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Address of the byte at {@code position} of the run. */
  long address(int position) {
    return bytes + position;
  }

  private byte at(int position) {
    return NativeMemory.getByte(bytes + position);
  }

  /** The line that starts at {@code position} of the run, its line feed included. */
  byte[] line(int position) {
    int next = position;
    while (at(next) != '\n') {
      next++;
    }
    byte[] line = new byte[next + 1 - position];
    NativeMemory.copyToArray(bytes + position, line, 0, line.length);
    return line;
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

  /** Offset in the file behind a line that ends at {@code position}: never past the file's end. */
  long offsetBehind(int position) {
    return base + position - (lineEndAdded && position == filled ? 1 : 0);
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
          NativeMemory.putByte(bytes + filled++, (byte) '\n');
          lineEndAdded = true;
        }
        to = filled;
        return filled > 0 && withinRange();
      }
      if (base >= end.getAsLong()) {
        last = true;
        return false;
      }
      if (!startsComment()) {
        throw new LineTooLong(base);
      }
      dropLine();
      shift();
      dropped++;
    }
  }

  /** Ends the run after the last line that starts before {@code end}. */
  private boolean withinRange() {
    if (base >= end.getAsLong()) {
      last = true;
      to = from;
      return false;
    }
    long bound = end.getAsLong();
    if (base + to >= bound) {
      int newline = (int) Math.max(0, bound - 1 - base);
      while (at(newline) != '\n') {
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
        if (at(p) == '\n') {
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
    NativeMemory.move(bytes + to, bytes, filled - to);
    base += to;
    filled -= to;
    from = 0;
    to = 0;
  }

  private void fill() throws IOException {
    while (filled < CAPACITY && !endOfFile) {
      int n = in.read(buffer.limit(CAPACITY).position(filled));
      if (n < 0) {
        endOfFile = true;
      } else {
        filled += n;
      }
    }
  }

  private boolean startsComment() {
    int p = 0;
    while (p < filled && LineRules.isBlank(at(p))) {
      p++;
    }
    return p < filled && rules.isComment(at(p));
  }

  private int lastNewline() {
    int p = filled - 1;
    while (p >= 0 && at(p) != '\n') {
      p--;
    }
    return p;
  }

  @Override
  public void close() throws IOException {
    if (in.isOpen()) {
      NativeMemory.free(buffer);
      in.close();
    }
  }
}
