package org.weft.storage.text;

import java.io.IOException;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.weft.error.WeftException;
import org.weft.storage.BlockReader;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadSummary;
import org.weft.storage.SourceFile;
import org.weft.tensor.CooBlock;

/**
 * Text of one split to blocks: the loop around a format's line parser, which is the subclass. Lines
 * and records are counted here and nowhere else.
 */
abstract class TextReader implements BlockReader {
  /** Shortest text of a column: a digit and a blank. */
  private static final int COLUMN_BYTES = 2;

  protected final LineErrors errors;
  protected final LineBuffer lines;
  protected final CooBlock.Builder builder;
  protected final int blockEntries;
  protected final long[] maxCoordinates;
  protected long records;
  protected long lineCount;

  private final SourceFile file;
  private final InputPlan plan;
  private long entries;
  private @Nullable CooBlock ready;
  private boolean exhausted;

  TextReader(SourceFile file, InputPlan plan, InputSplit split, LineRules rules)
      throws IOException {
    this.file = file;
    this.plan = plan;
    this.errors = new LineErrors(file);
    int order = plan.header().order();
    this.blockEntries = plan.options().blockEntries();
    long possible = split.length() / (COLUMN_BYTES * (long) order) + 1;
    boolean compressed = TextSplits.isWhole(file);
    this.builder =
        new CooBlock.Builder(
            order, (int) Math.min(blockEntries, compressed ? Long.MAX_VALUE : possible) + 1);
    this.maxCoordinates = new long[order];
    java.util.Arrays.fill(maxCoordinates, -1);
    long end = compressed ? Long.MAX_VALUE : split.end();
    long start = compressed ? 0 : split.start();
    this.lines = LineBuffer.range(file, plan.header().dataStart(), start, end, rules);
  }

  /**
   * Parses lines of [{@code from}, {@code to}) into the builder until it is full; returns the
   * beginning of the first line not parsed.
   */
  abstract int parse(byte[] bytes, int from, int to);

  /** Called once at the end of the split, before the declared entry count is checked. */
  void finish() {}

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
    try {
      while (builder.size() < blockEntries) {
        if (lines.from() == lines.to() && !lines.next()) {
          exhausted = true;
          finish();
          if (plan.splits().size() == 1) {
            plan.verify(summary());
          }
          break;
        }
        lines.readTo(parse(lines.bytes(), lines.from(), lines.to()));
      }
    } catch (LineBuffer.LineTooLong e) {
      throw errors.tooLong(e.offset());
    } catch (WeftException e) {
      throw e;
    } catch (IOException e) {
      throw FileAccess.unavailable(file.uri(), e);
    }
    if (builder.size() == 0) {
      return null;
    }
    entries += builder.size();
    return builder.build();
  }

  @Override
  public ReadSummary summary() {
    return new ReadSummary(
        maxCoordinates, records, entries + builder.size(), lineCount + lines.dropped());
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
