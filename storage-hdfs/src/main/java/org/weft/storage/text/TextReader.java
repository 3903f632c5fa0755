package org.weft.storage.text;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.NoSuchElementException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.LineParser;
import org.weft.storage.BlockReader;
import org.weft.storage.Compression;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadSummary;
import org.weft.storage.SourceFile;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/**
 * Text of one split to blocks. {@link LineParser} reads the lines; one that it leaves, because it
 * is wrong or only unusual, goes to the subclass, which is the definition of its format and words
 * the errors. Lines and records are counted here and nowhere else.
 */
abstract class TextReader implements BlockReader {
  /** Shortest text of a column: a digit and a blank. */
  private static final int COLUMN_BYTES = 2;

  protected final LineErrors errors;
  protected final LineParser parser;
  protected final int blockEntries;
  protected final ValueType type;

  private final LineBuffer lines;
  private final LineRules rules;
  private final boolean skew;
  private final SourceFile file;
  private final InputPlan plan;
  private long entries;
  private long linesLeft;
  private @Nullable CooBlock ready;
  private boolean exhausted;

  /** What was read until the reader was closed. */
  private @Nullable ReadSummary last;

  /**
   * @param coordinates coordinates in a line: the order of the layout, or 0
   */
  TextReader(SourceFile file, InputPlan plan, InputSplit split, EntryLayout layout, int coordinates)
      throws IOException {
    this.file = file;
    this.plan = plan;
    this.rules = layout.rules();
    this.type = plan.options().type();
    this.skew = layout.symmetry() == EntryLayout.Symmetry.SKEW_SYMMETRIC;
    Compression compression = file.compression();
    boolean blocks = compression == Compression.BZIP2;
    this.errors = new LineErrors(file, blocks ? split.start() : 0);
    this.blockEntries = plan.options().blockEntries();
    boolean compressed = compression != Compression.NONE;
    long possible = split.length() / (COLUMN_BYTES * (long) Math.max(1, coordinates)) + 1;
    long images = layout.symmetry() == EntryLayout.Symmetry.GENERAL ? 1 : 2;
    long capacity = compressed ? blockEntries : Math.min(blockEntries, images * possible);
    long dataStart = plan.header().dataStart();
    if (blocks) {
      this.lines = LineBuffer.blocks(file, dataStart, split, rules);
    } else if (compressed) {
      this.lines = LineBuffer.fromLine(file, dataStart, rules);
    } else {
      this.lines = LineBuffer.range(file, dataStart, split.start(), split.end(), rules);
    }
    try {
      this.parser = new LineParser(layout.forParser(coordinates, type), (int) capacity + 1);
    } catch (RuntimeException e) {
      lines.close();
      throw e;
    }
  }

  /** Entries read that are in no block yet. */
  abstract int size();

  /** How many entries the parser's columns may hold now. */
  abstract int limit();

  /** Called when the parser has read lines. */
  abstract void parsed();

  /**
   * Reads the entry of a line that the parser left.
   *
   * @param at where it starts in {@code line}, which ends with a line feed
   * @param offset of the line in the file, for messages
   */
  abstract void entry(byte[] line, int at, long offset);

  /**
   * Adds an entry whose value is the number in [{@code from}, {@code to}).
   *
   * @param value the double that is nearest to it
   * @throws WeftException {@code VALUE_OUT_OF_RANGE} if its type does not hold the value, or the
   *     opposite one where that is an entry too
   */
  final void add(long[] coordinates, double value, byte[] line, int from, int to, long offset) {
    if (!type.isIntegral()) {
      require(type.holds(value), line, from, offset);
      parser.add(coordinates, value);
      return;
    }
    String number = new String(line, from, to - from, StandardCharsets.US_ASCII);
    OptionalLong integer = type.integer(number);
    long least = type == ValueType.LONG ? Long.MIN_VALUE : Integer.MIN_VALUE;
    require(integer.isPresent() && !(skew && integer.getAsLong() == least), line, from, offset);
    if (type == ValueType.LONG) {
      parser.addLong(coordinates, integer.getAsLong());
    } else {
      parser.add(coordinates, integer.getAsLong());
    }
  }

  private void require(boolean holds, byte[] line, int from, long offset) {
    if (!holds) {
      String refusal = type.refusal(LineErrors.quoteToken(line, from));
      throw errors.at(offset, ErrorCode.VALUE_OUT_OF_RANGE, refusal);
    }
  }

  /** The entries read, as a block. */
  abstract CooBlock take();

  private void parse() {
    LineParser.Outcome outcome =
        parser.parse(lines.address(lines.from()), lines.address(lines.to()), limit());
    int next = (int) (parser.position() - lines.address(0));
    lines.readTo(next);
    parsed();
    boolean full = outcome == LineParser.Outcome.FULL && size() < blockEntries;
    if (outcome == LineParser.Outcome.LEFT || full) {
      byte[] line = lines.line(next);
      errors.requireOneLine(line, lines.offset(next));
      int at = CoordinateReader.skipBlanks(line, 0);
      if (line[at] != '\n' && !rules.isComment(line[at])) {
        entry(line, at, lines.offset(next));
        parsed();
      }
      linesLeft++;
      lines.readTo(next + line.length);
    }
  }

  @Override
  public boolean hasNext() {
    if (ready == null && !exhausted) {
      ready = fill();
    }
    return ready != null;
  }

  @Override
  public CooBlock next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    CooBlock block = java.util.Objects.requireNonNull(ready);
    ready = null;
    return block;
  }

  private @Nullable CooBlock fill() {
    if (last != null) {
      throw new IllegalStateException(file.uri() + ": the reader is closed");
    }
    try {
      while (size() < blockEntries) {
        if (lines.from() == lines.to() && !lines.next()) {
          exhausted = true;
          if (plan.splits().size() == 1) {
            plan.verify(summary());
          }
          break;
        }
        parse();
      }
    } catch (LineBuffer.LineTooLong e) {
      throw errors.tooLong(e.offset());
    } catch (WeftException e) {
      throw e;
    } catch (IOException e) {
      throw FileAccess.unavailable(file.uri(), e);
    }
    if (size() == 0) {
      return null;
    }
    entries += size();
    return take();
  }

  /** The largest coordinate of {@code mode} so far, -1 if there is none. */
  abstract long maxCoordinate(int mode);

  @Override
  public ReadSummary summary() {
    return last != null ? last : summaryNow();
  }

  private ReadSummary summaryNow() {
    long[] largest = new long[plan.header().order()];
    java.util.Arrays.setAll(largest, this::maxCoordinate);
    return new ReadSummary(
        largest, parser.records(), entries + size(), parser.lines() + linesLeft + lines.dropped());
  }

  @Override
  public void close() throws IOException {
    if (last == null) {
      last = summaryNow();
      parser.close();
      lines.close();
    }
  }
}
