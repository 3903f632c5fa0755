package org.weft.storage.text;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.scratch.ScratchFolder;
import org.weft.storage.BlockColumns;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.storage.codec.OrderedWork;
import org.weft.storage.codec.ParallelCompressor;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * Lines of coordinates and a value, under a header that may need numbers known only at the end. If
 * they were not given, the lines wait in a local temporary file until then. Lines are made on all
 * cores, and written in order; memory stays bounded.
 */
abstract class TextWriter implements TensorWriter {
  private static final int ENTRIES_AT_A_TIME = 1 << 14;

  private final OutputStream out;
  private final String name;
  private final int order;
  private final int base;
  private final WriteOptions options;
  private final long[] maxCoordinates;
  private final @Nullable Path spool;
  private final OutputStream lines;
  private final OrderedWork<TextOut> work;
  private final Deque<TextOut> free = new ArrayDeque<>();
  private final boolean alone;
  private long entries;
  private boolean closed;

  /**
   * A writer whose header needs shape and count if {@code headerNeeded}, and otherwise only for a
   * tensor without entries.
   */
  TextWriter(
      OutputStream out,
      String name,
      int order,
      int base,
      WriteOptions options,
      boolean headerNeeded)
      throws IOException {
    this.out = out;
    this.name = name;
    this.order = order;
    this.base = base;
    this.options = options;
    this.maxCoordinates = new long[order];
    java.util.Arrays.fill(maxCoordinates, -1);
    boolean known = options.shape().isPresent() && options.entries().isPresent();
    if (headerNeeded && !known) {
      this.spool = ScratchFolder.newFile("lines-", ".tmp");
      this.lines = Files.newOutputStream(spool);
    } else {
      this.spool = null;
      this.lines = out;
      if (headerNeeded) {
        text(header(options.shape().orElseThrow(), options.knownEntries()));
      }
    }
    this.work = new OrderedWork<>(2 * OrderedWork.CORES, this::take);
    this.alone = out instanceof ParallelCompressor; // which has all cores to do
  }

  /** Whether all values are integers. */
  final boolean integral() {
    return options.valueType().isIntegral();
  }

  /** The lines before the entries. */
  abstract String header(TensorShape shape, long entries);

  /** What stands in a file without entries if no header was written. */
  abstract String emptyFile(TensorShape shape);

  @Override
  public void write(CooBlock block) throws IOException {
    if (spool == null) {
      lines(block);
      return;
    }
    try {
      lines(block);
    } catch (IOException e) {
      throw ScratchFolder.unavailable(e);
    }
  }

  private void lines(CooBlock block) throws IOException {
    if (block.order() != order) {
      throw new IllegalArgumentException(
          name + ": a block of order " + block.order() + " for a tensor of order " + order);
    }
    for (int mode = 0; mode < order && block.size() > 0; mode++) {
      maxCoordinates[mode] = Math.max(maxCoordinates[mode], BlockColumns.largest(block, mode));
    }
    for (int from = 0; from < block.size(); from += ENTRIES_AT_A_TIME) {
      int first = from;
      int end = Math.min(block.size(), from + ENTRIES_AT_A_TIME);
      TextOut text = free.isEmpty() ? new TextOut() : free.pop();
      if (alone || end - from < ENTRIES_AT_A_TIME && work.isDone()) {
        take(lines(text, block, first, end));
      } else {
        work.add(() -> lines(text, block, first, end));
      }
    }
    entries += block.size();
  }

  private void take(TextOut made) throws IOException {
    made.writeTo(lines);
    free.push(made);
  }

  private TextOut lines(TextOut made, CooBlock block, int from, int to) {
    for (int e = from; e < to; e++) {
      for (int mode = 0; mode < order; mode++) {
        made.number(block.coordinate(mode, e) + base, ' ');
      }
      if (block.hasLongValues()) {
        made.signed(block.longValue(e), '\n');
      } else if (integral() && block.value(e) == (long) block.value(e)) {
        made.signed((long) block.value(e), '\n');
      } else if (options.valueType() == ValueType.FLOAT) {
        made.number((float) block.value(e), '\n');
      } else {
        made.number(block.value(e), '\n');
      }
    }
    return made;
  }

  private void text(String text) throws IOException {
    lines.write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private TensorShape shape() {
    return options
        .shape()
        .orElseGet(
            () ->
                TensorShape.of(
                    java.util.stream.LongStream.of(maxCoordinates).map(m -> m + 1).toArray()));
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (spool == null) {
      try (lines) {
        work.finish();
        if (entries == 0) {
          text(emptyFile(shape()));
        }
      }
    } else {
      finishSpooled(spool);
    }
    if (options.entries().isPresent() && options.knownEntries() != entries) {
      throw new WeftException(
          ErrorCode.ENTRY_COUNT_MISMATCH,
          name
              + ": expected "
              + Counts.plain(options.knownEntries(), "entry")
              + ", as announced to the writer, found "
              + entries);
    }
  }

  private void finishSpooled(Path file) throws IOException {
    try (out) {
      try (lines) {
        work.finish();
      }
      out.write(header(shape(), entries).getBytes(StandardCharsets.US_ASCII));
      Files.copy(file, out);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
