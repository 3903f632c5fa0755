package org.weft.tensor;

import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;
import org.weft.tensor.KeyLayout.Coordinate;
import org.weft.tensor.PackRecords.Arguments;
import org.weft.tensor.PackRecords.Step;

/**
 * Makes records of blocks, in their order: threads take block after block from the queue, and copy
 * columns off the heap piece by piece, from where the C++ runtime makes records of them.
 */
final class RecordLoader {
  /** Entries of a piece: its columns stay in a core's cache. */
  private static final int PIECE = 8192;

  /** Fewer entries are not worth a thread. */
  private static final long SHARED_FROM = 1 << 16;

  private static final int PER_COLUMN = 8;

  /** A block and the number of its first entry. */
  private record Taken(CooBlock block, long first) {}

  private final BlockSource blocks;
  private final PackRecords records;
  private final long[] origin;
  private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
  private long next;

  private RecordLoader(BlockSource blocks, PackRecords records, long[] origin) {
    this.blocks = blocks;
    this.records = records;
    this.origin = origin;
  }

  /**
   * Takes all blocks of a source.
   *
   * @param origin first coordinate in each mode, which is subtracted
   * @throws WeftException {@code COORDINATE_OUT_OF_RANGE}, {@code OUT_OF_MEMORY}
   */
  static PackRecords load(BlockSource blocks, KeyLayout layout, long[] origin, int threads) {
    long entries = blocks.entries();
    PackRecords records = new PackRecords(layout, entries, blocks.hasLongValues(), threads);
    try {
      new RecordLoader(blocks, records, origin).run(entries < SHARED_FROM ? 1 : threads);
      return records;
    } catch (RuntimeException e) {
      records.close();
      throw e;
    }
  }

  private void run(int threads) {
    if (threads <= 1) {
      takeBlocks();
    } else {
      IntStream.range(0, threads).parallel().forEach(thread -> takeBlocks());
    }
    RuntimeException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
  }

  private synchronized @Nullable Taken take() {
    CooBlock block = failure.get() == null ? blocks.poll() : null;
    if (block == null) {
      return null;
    }
    long first = next;
    next += block.size();
    return new Taken(block, first);
  }

  /** Until none is left or a thread has failed; no thread writes once all have returned. */
  private void takeBlocks() {
    int order = records.layout().shape().order();
    long bytes = (long) PIECE * Long.BYTES * (order + 1);
    try (Arguments arguments = records.arguments(order, PER_COLUMN)) {
      long columns = MemorySource.system().allocate(bytes);
      try {
        for (Taken taken = take(); taken != null; taken = take()) {
          load(taken.block(), taken.first(), arguments, columns);
        }
      } finally {
        MemorySource.system().free(columns, bytes);
      }
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void load(CooBlock block, long first, Arguments arguments, long columns) {
    int order = records.layout().shape().order();
    long values = columns + (long) PIECE * Long.BYTES * order;
    double @Nullable [] doubles = records.isExact() ? null : block.values();
    for (int mode = 0; mode < order; mode++) {
      Coordinate field = records.layout().mode(mode);
      arguments.list(
          PER_COLUMN * mode,
          columns + (long) PIECE * Long.BYTES * mode,
          block.isWide(mode) ? Long.BYTES : Integer.BYTES,
          origin[mode],
          records.layout().shape().size(mode),
          field.bits().word(),
          field.bits().shift(),
          field.factor() == 1 ? 0 : field.factor(),
          field.low());
    }
    arguments.set(8, values);
    for (int at = 0; at < block.size(); at += PIECE) {
      int count = Math.min(PIECE, block.size() - at);
      for (int mode = 0; mode < order; mode++) {
        long column = columns + (long) PIECE * Long.BYTES * mode;
        if (block.isWide(mode)) {
          NativeMemory.copyFromArray(block.longColumn(mode), at, column, count);
        } else {
          NativeMemory.copyFromArray(block.intColumn(mode), at, column, count);
        }
      }
      if (doubles == null) {
        NativeMemory.copyFromArray(block.longValues(), at, values, count);
      } else {
        NativeMemory.copyFromArray(doubles, at, values, count);
      }
      arguments.set(2, count);
      arguments.set(4, records.address(first + at));
      if (!arguments.take(Step.LOAD)) {
        throw outOfRange(block, at);
      }
    }
  }

  /** What is wrong with an entry of a block, {@code from} or a later one. */
  private WeftException outOfRange(CooBlock block, int from) {
    TensorShape shape = records.layout().shape();
    for (int e = from; e < block.size(); e++) {
      for (int mode = 0; mode < shape.order(); mode++) {
        long coordinate = block.coordinate(mode, e);
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
