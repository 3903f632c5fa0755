package org.weft.tensor;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
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
 * The entries of a tensor off the heap while they are packed: records of key words and a value,
 * which lie in a block of keys and one of values, and in two others as large from the first time
 * that they move. Values may move to an array that a form keeps. Close it.
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

  /** So many are sorted into the array of a form, and from there on into that of the next. */
  private static final long LENT_FROM = 1 << 20;

  private static final int HEADER = 14;

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
  private Block keys;
  private @Nullable Block otherKeys;
  private @Nullable MemoryScope lendable;
  private Block values;
  private @Nullable Block otherValues;

  /**
   * Keys or values.
   *
   * @param scope that has only them; null: a form keeps them as they are
   */
  private record Block(NativeArray array, @Nullable MemoryScope scope) {
    long address() {
      return array.address();
    }

    boolean isLent() {
      return scope == null;
    }

    static void close(@Nullable Block block) {
      if (block != null && block.scope != null) {
        block.scope.close();
      }
    }
  }

  /**
   * @param exact whether values are long
   * @param forms where forms lie, one of which may have the values as they are loaded; null: none
   */
  PackRecords(
      KeyLayout layout, long size, boolean exact, int threads, @Nullable MemoryScope forms) {
    this.layout = layout;
    this.size = size;
    this.exact = exact;
    this.threads = threads;
    try {
      keys = allocateKeys();
      lendable = forms == null || size < LENT_FROM ? null : forms.child("packed");
      values = lendable == null ? allocate(size) : new Block(allocateIn(lendable), lendable);
    } catch (RuntimeException e) {
      if (lendable != null) {
        lendable.close();
      }
      scope.close();
      throw e;
    }
  }

  private NativeArray allocateIn(MemoryScope form) {
    return form.allocateUninitialized(exact ? ElementType.I64 : ElementType.F64, size);
  }

  private Block allocate(long words) {
    MemoryScope own = scope.child("block");
    return new Block(own.allocateUninitialized(ElementType.I64, words), own);
  }

  private Block allocateKeys() {
    return allocate(Math.multiplyExact(size, (long) layout.words()));
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

  /** Has a step begin with record {@code entry}. */
  void startAt(long entry, Arguments arguments) {
    arguments.set(4, keyAddress(entry));
    arguments.set(12, values.address() + entry * Long.BYTES);
  }

  private long keyAddress(long entry) {
    return keys.address() + entry * layout.words() * Long.BYTES;
  }

  /** The coordinate of {@code entry} that lies in some bits of the keys. */
  long coordinate(Coordinate coordinate, long entry) {
    return coordinate.of(
        NativeMemory.getLong(keyAddress(entry) + (long) coordinate.bits().word() * Long.BYTES));
  }

  /** Bits of the value of {@code entry}. */
  private long value(long entry) {
    return NativeMemory.getLong(values.address() + entry * Long.BYTES);
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
    startAt(0, arguments);
    arguments.set(5, otherKeys == null ? 0 : otherKeys.address());
    arguments.set(6, threads);
    arguments.set(7, listed);
    arguments.set(13, otherValues == null ? 0 : otherValues.address());
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

  /**
   * Whether a form of so many values, each of an entry, may have those of the records as its own.
   */
  boolean mayLend(ValueType type) {
    return size >= LENT_FROM && type == (exact ? ValueType.LONG : ValueType.DOUBLE);
  }

  /** Gives a form the values as they are, with the scope that has only them; null if none may. */
  @Nullable MemoryScope lend() {
    if (values.scope() != lendable || values.array().length() != size) {
      return null;
    }
    values = new Block(values.array(), null);
    return lendable;
  }

  /** An array of a form for values that are sorted. */
  NativeArray target(MemoryScope form) {
    Block.close(otherValues);
    otherValues = null;
    return allocateIn(form);
  }

  NativeArray values() {
    return values.array();
  }

  /** Whether the values are in {@code array}. */
  boolean hasValuesIn(NativeArray array) {
    return values.array() == array;
  }

  /**
   * Sorts the entries by the bits of {@code sequence}; others keep their order.
   *
   * @param target that {@link #target} made: where the values go, if they move, and stay as they
   *     are until this is closed; null: a block of these records
   */
  void sort(List<Bits> sequence, @Nullable NativeArray target) {
    if (sequence.isEmpty()) {
      return;
    }
    requireOthers(target);
    try (Arguments arguments = pieces(sequence)) {
      arguments.set(9, values.isLent() ? 1 : 0);
      arguments.take(Step.SORT);
      if (arguments.get(8) != 0) {
        exchange();
      }
    }
  }

  /** Sums the values of neighbours with equal keys, in their order; returns how many went away. */
  long mergeDuplicates() {
    long before = size;
    if (!merge(otherKeys != null && otherValues != null && !otherValues.isLent())) {
      requireOthers(null);
      merge(true);
    }
    return before - size;
  }

  /** False, with nothing done, if the other blocks are needed and must not be used. */
  private boolean merge(boolean mayMove) {
    try (Arguments arguments = arguments(0, 0)) {
      if (!mayMove) {
        arguments.set(5, 0);
      }
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
    int count = Math.toIntExact(size);
    Object[] columns = new Object[layout.shape().order()];
    for (int mode = 0; mode < columns.length; mode++) {
      columns[mode] = column(layout.mode(mode), layout.shape().size(mode), count);
    }
    if (exact) {
      long[] longs = new long[count];
      NativeMemory.copyToArray(values.address(), longs, 0, count);
      return CooBlock.ofColumns(columns, longs, count);
    }
    double[] doubles = new double[count];
    NativeMemory.copyToArray(values.address(), doubles, 0, count);
    return CooBlock.ofColumns(columns, doubles, count);
  }

  private Object column(Coordinate mode, long modeSize, int count) {
    long step = (long) layout.words() * Long.BYTES;
    long at = keys.address() + (long) mode.bits().word() * Long.BYTES;
    if (modeSize > Integer.MAX_VALUE) {
      long[] wide = new long[count];
      for (int e = 0; e < count; e++) {
        wide[e] = mode.of(NativeMemory.getLong(at + e * step));
      }
      return wide;
    }
    int[] narrow = new int[count];
    for (int e = 0; e < count; e++) {
      narrow[e] = (int) mode.of(NativeMemory.getLong(at + e * step));
    }
    return narrow;
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

  private void requireOthers(@Nullable NativeArray target) {
    if (otherKeys == null) {
      otherKeys = allocateKeys();
    }
    if (target != null) {
      otherValues = new Block(target, null);
    } else if (otherValues == null || otherValues.isLent()) {
      otherValues = allocate(size);
    }
  }

  /** Frees the blocks that records move to. */
  void closeOthers() {
    Block.close(otherKeys);
    Block.close(otherValues);
    otherKeys = null;
    otherValues = null;
  }

  private void exchange() {
    Block movedKeys = Objects.requireNonNull(otherKeys);
    otherKeys = keys;
    keys = movedKeys;
    Block moved = Objects.requireNonNull(otherValues);
    otherValues = values;
    values = moved;
  }

  @Override
  public void close() {
    Block.close(otherValues);
    Block.close(values);
    scope.close();
  }
}
