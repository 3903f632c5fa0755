package org.weft.tensor;

import java.util.Arrays;
import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.service.Providers;
import org.weft.tensor.KeyLayout.Bits;
import org.weft.tensor.KeyLayout.Coordinate;

/**
 * The entries of a tensor off the heap while they are packed: records of key words and a value, in
 * one block, and another one as large from the first time that they move. Close it.
 */
final class PackRecords implements AutoCloseable {
  /** What {@code packing.h} numbers. */
  enum Step {
    LOAD,
    ORDER,
    SORT,
    MERGE,
    COUNT,
    BUILD,
    SQUARES,
    UNPACK
  }

  /** Records that one task makes levels of. */
  static final int CHUNK = 1 << 16;

  private static final RecordSteps STEPS = Providers.of(RecordSteps.class).get(0);

  private static final int OUT_OF_MEMORY = 1;
  private static final int BOUNDS = 3;
  private static final int HEADER = 12;

  /** The argument block of a step. */
  static final class Arguments implements AutoCloseable {
    private final long bytes;
    private final long address;

    Arguments(int listed) {
      bytes = (long) (HEADER + listed) * Long.BYTES;
      address = MemorySource.system().allocate(bytes);
      NativeMemory.fill(address, bytes, (byte) 0);
    }

    void set(int slot, long value) {
      NativeMemory.putLong(address + (long) slot * Long.BYTES, value);
    }

    long get(int slot) {
      return NativeMemory.getLong(address + (long) slot * Long.BYTES);
    }

    /** Lists numbers from the {@code first} listed one on. */
    void list(int first, long... values) {
      for (int i = 0; i < values.length; i++) {
        set(HEADER + first + i, values[i]);
      }
    }

    long listed(int number) {
      return get(HEADER + number);
    }

    /**
     * Takes a step; whether all coordinates were in range.
     *
     * @throws WeftException {@code OUT_OF_MEMORY}
     */
    boolean take(Step step) {
      set(1, step.ordinal());
      STEPS.take(address);
      if (get(0) == OUT_OF_MEMORY) {
        throw new WeftException(
            ErrorCode.OUT_OF_MEMORY,
            "no memory to pack "
                + get(2)
                + " entries, which takes some counters beside them; use a larger machine or more"
                + " partitions");
      }
      return get(0) != BOUNDS;
    }

    @Override
    public void close() {
      MemorySource.system().free(address, bytes);
    }
  }

  private final KeyLayout layout;
  private final boolean exact;
  private final int threads;
  private final MemoryScope scope = MemoryScope.root("packing", MemorySource.system());
  private long size;
  private NativeArray records;
  private NativeArray others;
  private boolean hasOthers;

  /**
   * @param exact whether values are long
   */
  PackRecords(KeyLayout layout, long size, boolean exact, int threads) {
    this.layout = layout;
    this.size = size;
    this.exact = exact;
    this.threads = threads;
    try {
      records = scope.allocateUninitialized(ElementType.I64, Math.multiplyExact(size, stride()));
      others = records;
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  private long stride() {
    return layout.words() + 1L;
  }

  KeyLayout layout() {
    return layout;
  }

  long size() {
    return size;
  }

  /** Whether values are long. */
  boolean isExact() {
    return exact;
  }

  int threads() {
    return threads;
  }

  /** Address of record {@code entry}. */
  long address(long entry) {
    return records.address() + entry * stride() * Long.BYTES;
  }

  /** The coordinate of {@code entry} that lies in some bits of the keys. */
  long coordinate(Coordinate coordinate, long entry) {
    return coordinate.of(
        NativeMemory.getLong(address(entry) + (long) coordinate.bits().word() * Long.BYTES));
  }

  /** Bits of the value of {@code entry}. */
  private long value(long entry) {
    return NativeMemory.getLong(address(entry) + (long) layout.words() * Long.BYTES);
  }

  double doubleValue(long entry) {
    return exact ? value(entry) : Double.longBitsToDouble(value(entry));
  }

  long longValue(long entry) {
    return exact ? value(entry) : (long) Double.longBitsToDouble(value(entry));
  }

  /** Arguments of a step over all records. */
  Arguments arguments(int listed, int perItem) {
    Arguments arguments = new Arguments(listed * perItem);
    arguments.set(2, size);
    arguments.set(3, layout.words());
    arguments.set(4, records.address());
    arguments.set(5, others.address());
    arguments.set(6, threads);
    arguments.set(7, listed);
    return arguments;
  }

  private Arguments pieces(List<Bits> sequence) {
    Arguments arguments = arguments(sequence.size(), 3);
    for (int p = 0; p < sequence.size(); p++) {
      Bits bits = sequence.get(p);
      arguments.list(3 * p, bits.word(), bits.shift(), bits.bits());
    }
    return arguments;
  }

  /** Whether entries never decrease in the bits of {@code sequence}. */
  boolean isInOrder(List<Bits> sequence) {
    try (Arguments arguments = pieces(sequence)) {
      arguments.take(Step.ORDER);
      return arguments.get(8) != 0;
    }
  }

  /** Sorts the entries by the bits of {@code sequence}; others keep their order. */
  void sort(List<Bits> sequence) {
    if (sequence.isEmpty()) {
      return;
    }
    requireOthers();
    try (Arguments arguments = pieces(sequence)) {
      arguments.take(Step.SORT);
      if (arguments.get(8) != 0) {
        exchange();
      }
    }
  }

  /** Sums the values of neighbours with equal keys, in their order; returns how many went away. */
  long mergeDuplicates() {
    long before = size;
    if (!merge(hasOthers)) {
      requireOthers();
      merge(true);
    }
    return before - size;
  }

  /** False, with nothing done, if the other block is needed and must not be used. */
  private boolean merge(boolean mayMove) {
    try (Arguments arguments = arguments(0, 0)) {
      arguments.set(5, mayMove ? others.address() : 0);
      arguments.set(8, exact ? 1 : 0);
      arguments.take(Step.MERGE);
      if (arguments.get(10) != 0) {
        exchange();
        size = arguments.get(9);
      }
      return size == arguments.get(9);
    }
  }

  /** All entries as a block. */
  CooBlock toBlock() {
    int order = layout.shape().order();
    CooBlock.Builder block = new CooBlock.Builder(order, Math.toIntExact(size), exact);
    Coordinate[] modes = new Coordinate[order];
    Arrays.setAll(modes, layout::mode);
    for (long e = 0; e < size; e++) {
      for (int mode = 0; mode < order; mode++) {
        block.set(mode, coordinate(modes[mode], e));
      }
      if (exact) {
        block.finishLong(longValue(e));
      } else {
        block.finish(doubleValue(e));
      }
    }
    return block.build();
  }

  /** The sum of the squares of all values, the same for any number of threads. */
  static double sumOfSquares(NativeArray values, ValueType type, int threads) {
    try (Arguments arguments = new Arguments(0)) {
      arguments.set(2, values.length());
      arguments.set(4, values.address());
      arguments.set(6, threads);
      arguments.set(9, FormBuilder.typeNumber(type));
      arguments.take(Step.SQUARES);
      return Double.longBitsToDouble(arguments.get(8));
    }
  }

  private void requireOthers() {
    if (!hasOthers) {
      others = scope.allocateUninitialized(ElementType.I64, records.length());
      hasOthers = true;
    }
  }

  private void exchange() {
    NativeArray moved = others;
    others = records;
    records = moved;
  }

  @Override
  public void close() {
    scope.close();
  }
}
