package org.weft.tensor;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;
import org.weft.tensor.KeyLayout.Coordinate;
import org.weft.tensor.PackRecords.Arguments;
import org.weft.tensor.PackRecords.Step;

/**
 * Makes records of entries, in their order: threads take piece after piece from the source, and
 * have some columns of it at a time off the heap, of which the C++ runtime makes records.
 */
final class RecordLoader {
  /** Entries that are copied at once: their columns stay in a core's cache. */
  private static final int COPIED = 8192;

  /** Fewer entries are not worth a thread. */
  private static final long SHARED_FROM = 1 << 16;

  private static final int PER_COLUMN = 8;

  /** A piece and the number of its first entry. */
  private record Taken(EntrySource.Piece piece, long first) {}

  private final EntrySource entries;
  private final PackRecords records;
  private final int order;
  private final long[] origin;
  private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
  private long next;

  private RecordLoader(EntrySource entries, PackRecords records, long[] origin) {
    this.entries = entries;
    this.records = records;
    this.order = records.layout().shape().order();
    this.origin = origin;
  }

  /**
   * Takes all pieces of a source.
   *
   * @param origin first coordinate in each mode, which is subtracted
   * @param forms where forms lie, one of which may have the values as they are loaded; null: none
   * @throws WeftException {@code COORDINATE_OUT_OF_RANGE}, {@code OUT_OF_MEMORY}
   */
  static PackRecords load(
      EntrySource entries,
      KeyLayout layout,
      long[] origin,
      int threads,
      @Nullable MemoryScope forms) {
    long size = entries.entries();
    PackRecords records = new PackRecords(layout, size, entries.hasLongValues(), threads, forms);
    try {
      new RecordLoader(entries, records, origin).run(size < SHARED_FROM ? 1 : threads);
      return records;
    } catch (RuntimeException e) {
      records.close();
      throw e;
    } finally {
      entries.end();
    }
  }

  private void run(int threads) {
    if (threads <= 1) {
      takePieces();
    } else {
      IntStream.range(0, threads).parallel().forEach(thread -> takePieces());
    }
    RuntimeException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
  }

  private synchronized @Nullable Taken take() {
    EntrySource.Piece piece = failure.get() == null ? entries.poll() : null;
    if (piece == null) {
      return null;
    }
    long first = next;
    next += piece.entries();
    return new Taken(piece, first);
  }

  /** Until none is left or a thread has failed; no thread writes once all have returned. */
  private void takePieces() {
    try (Arguments arguments = records.arguments(order, PER_COLUMN);
        MemoryScope scope = MemoryScope.root("columns", MemorySource.system())) {
      long elements = (long) COPIED * (order + 1);
      long copies = scope.allocateUninitialized(ElementType.I64, elements).address();
      for (Taken taken = take(); taken != null; taken = take()) {
        try (EntryColumns columns = taken.piece().open()) {
          load(columns, taken.first(), arguments, copies);
        }
      }
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void load(EntryColumns columns, long first, Arguments arguments, long copies) {
    long[] copied = new long[order];
    Arrays.setAll(copied, mode -> copies + (long) COPIED * Long.BYTES * mode);
    long values = copies + (long) COPIED * Long.BYTES * order;
    for (int mode = 0; mode < order; mode++) {
      Coordinate field = records.layout().mode(mode);
      arguments.list(
          PER_COLUMN * mode,
          copied[mode],
          columns.isWide(mode) ? Long.BYTES : Integer.BYTES,
          origin[mode],
          records.layout().shape().size(mode),
          field.bits().word(),
          field.bits().shift(),
          field.factor() == 1 ? 0 : field.factor(),
          field.low());
    }
    arguments.set(8, values);
    for (long at = 0; at < columns.size(); at += COPIED) {
      int count = (int) Math.min(COPIED, columns.size() - at);
      columns.copy(at, count, copied, values, records.isExact());
      arguments.set(2, count);
      records.startAt(first + at, arguments);
      if (!arguments.take(Step.LOAD)) {
        throw outOfRange(columns, copied, count);
      }
    }
  }

  /** What is wrong with one of the copied entries. */
  private WeftException outOfRange(EntryColumns columns, long[] copied, int count) {
    TensorShape shape = records.layout().shape();
    for (int e = 0; e < count; e++) {
      for (int mode = 0; mode < order; mode++) {
        long coordinate =
            columns.isWide(mode)
                ? NativeMemory.getLong(copied[mode] + (long) e * Long.BYTES)
                : NativeMemory.getInt(copied[mode] + (long) e * Integer.BYTES);
        long local = coordinate - origin[mode];
        if (local < 0 || local >= shape.size(mode)) {
          return outOfRange(mode, coordinate, shape.size(mode), origin[mode]);
        }
      }
    }
    throw new AssertionError("all coordinates are in " + shape);
  }

  private static WeftException outOfRange(int mode, long coordinate, long size, long origin) {
    return new WeftException(
        ErrorCode.COORDINATE_OUT_OF_RANGE,
        "coordinate "
            + coordinate
            + " (counted from 0) of mode "
            + mode
            + " lies outside ["
            + origin
            + ", "
            + (origin + size)
            + ")");
  }
}
