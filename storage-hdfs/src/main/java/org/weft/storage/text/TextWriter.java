package org.weft.storage.text;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.scratch.ScratchFolder;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * Lines of coordinates and a value, under a header that may need numbers known only at the end. If
 * they were not given, the lines wait in a local temporary file until then; memory stays bounded.
 */
abstract class TextWriter implements TensorWriter {
  private final OutputStream out;
  private final String name;
  private final int order;
  private final int base;
  private final WriteOptions options;
  private final long[] maxCoordinates;
  private final @Nullable Path spool;
  private final TextOut lines;
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
      this.lines = new TextOut(Files.newOutputStream(spool));
    } else {
      this.spool = null;
      this.lines = new TextOut(out);
      if (headerNeeded) {
        lines.text(header(options.shape().orElseThrow(), options.knownEntries()));
      }
    }
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
    for (int e = 0; e < block.size(); e++) {
      for (int mode = 0; mode < order; mode++) {
        long coordinate = block.coordinate(mode, e);
        maxCoordinates[mode] = Math.max(maxCoordinates[mode], coordinate);
        lines.number(coordinate + base, ' ');
      }
      if (block.hasLongValues()) {
        lines.signed(block.longValue(e), '\n');
      } else if (integral() && block.value(e) == (long) block.value(e)) {
        lines.signed((long) block.value(e), '\n');
      } else if (options.valueType() == ValueType.FLOAT) {
        lines.number((float) block.value(e), '\n');
      } else {
        lines.number(block.value(e), '\n');
      }
    }
    entries += block.size();
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
        if (entries == 0) {
          lines.text(emptyFile(shape()));
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
      lines.close();
      out.write(header(shape(), entries).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      Files.copy(file, out);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
