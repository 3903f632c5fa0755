package org.weft.runtime;

import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;
import org.weft.tensor.CooBlock;

/**
 * Lines of coordinates and a value, as text off the heap, to columns, in the C++ runtime. What is
 * wrong with a line is the caller's to say: the parser stops in front of every line that it does
 * not take, be it malformed or only unusual, and the caller may {@link #add} its entry.
 *
 * <p>Columns are off the heap until {@link #take} copies them into a block. Not thread-safe; close
 * it.
 */
public final class LineParser implements AutoCloseable {
  private static final int POSITION = 1;
  private static final int SIZE = 8;
  private static final int CAPACITY = 9;
  private static final int RECORDS = 10;
  private static final int LINES = 11;
  private static final int VALUES = 12;
  private static final int HEADER = 15;
  private static final int PER_COLUMN = 4;

  /** Bytes behind the lines that are read, whatever they are. */
  public static final int SLACK_BYTES = 16;

  /** What a line's value is. */
  public enum Value {
    REAL,
    INTEGER,
    NONE,
    /** An integer, kept as a long. */
    LONG
  }

  /** What entries off the diagonal of a matrix stand for, beside themselves. */
  public enum Mirror {
    NONE(0),
    SAME(1),
    OPPOSITE(-1);

    private final int sign;

    Mirror(int sign) {
      this.sign = sign;
    }
  }

  /** Why {@link #parse} returned. */
  public enum Outcome {
    /** All lines are read. */
    READ,
    /** The columns are full. */
    FULL,
    /** The line at {@link #position} is the caller's. */
    LEFT
  }

  /**
   * What the lines hold.
   *
   * @param largest magnitude of a value that is read here, unless it is kept as a long
   * @param comments two bytes one of which a comment line starts with
   * @param base the first coordinate of every mode in the text
   * @param last largest 0-based coordinate of every mode
   */
  public record Layout(
      Value value, double largest, Mirror mirror, String comments, int base, long[] last) {
    int order() {
      return last.length;
    }
  }

  private final MemorySource memory = MemorySource.system();
  private final Layout layout;
  private final int capacity;
  private final long arguments;
  private final boolean[] wide;

  /**
   * @param capacity entries that the columns hold, and the mirror image of the last
   */
  public LineParser(Layout layout, int capacity) {
    NativeRuntime.require();
    this.layout = layout;
    this.capacity = capacity + (layout.mirror() == Mirror.NONE ? 0 : 1);
    int order = layout.order();
    this.wide = new boolean[order];
    this.arguments = memory.allocate(bytes(order));
    NativeMemory.fill(arguments, bytes(order), (byte) 0);
    set(3, order);
    set(4, layout.value().ordinal());
    set(5, layout.mirror().sign);
    set(6, layout.comments().charAt(0) | layout.comments().charAt(1) << Byte.SIZE);
    set(7, layout.base());
    set(CAPACITY, this.capacity);
    set(13, DecimalPowers.ADDRESS);
    set(14, Double.doubleToRawLongBits(layout.largest()));
    try {
      set(VALUES, memory.allocate((long) this.capacity * Double.BYTES));
      for (int mode = 0; mode < order; mode++) {
        set(column(mode) + 3, -1);
        allocate(mode);
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private static long bytes(int order) {
    return (HEADER + (long) PER_COLUMN * order) * Long.BYTES;
  }

  private static int column(int mode) {
    return HEADER + PER_COLUMN * mode;
  }

  private void allocate(int mode) {
    int bytes = wide[mode] ? Long.BYTES : Integer.BYTES;
    set(column(mode), memory.allocate((long) capacity * bytes));
    set(column(mode) + 1, bytes);
    set(
        column(mode) + 2,
        wide[mode] ? layout.last()[mode] : Math.min(Integer.MAX_VALUE, layout.last()[mode]));
  }

  private void set(int slot, long value) {
    NativeMemory.putLong(arguments + (long) slot * Long.BYTES, value);
  }

  private long get(int slot) {
    return NativeMemory.getLong(arguments + (long) slot * Long.BYTES);
  }

  /**
   * Reads the lines in [{@code from}, {@code to}), addresses of the beginning of a line and behind
   * a line feed, until the columns hold {@code limit} entries. {@link #SLACK_BYTES} readable bytes
   * follow the lines.
   */
  public Outcome parse(long from, long to, int limit) {
    set(POSITION, from);
    set(2, to);
    set(CAPACITY, Math.min(capacity, limit + (layout.mirror() == Mirror.NONE ? 0L : 1L)));
    NativeRuntime.parseLines(arguments);
    return Outcome.values()[(int) get(0)];
  }

  /** Address of the first line not read. */
  public long position() {
    return get(POSITION);
  }

  /** Entries in the columns. */
  public int size() {
    return (int) get(SIZE);
  }

  /** Lines with an entry that were read here, or added. */
  public long records() {
    return get(RECORDS);
  }

  /** Lines that were read here. */
  public long lines() {
    return get(LINES);
  }

  /** The largest coordinate of {@code mode}, -1 if there was none. */
  public long maxCoordinate(int mode) {
    return get(column(mode) + 3);
  }

  /** Adds the entry of a line, with its mirror image if it has one; room must be left. */
  public void add(long[] coordinates, double value) {
    double opposite = layout.mirror() == Mirror.SAME ? value : -value;
    add(coordinates, Double.doubleToRawLongBits(value), Double.doubleToRawLongBits(opposite));
  }

  /** As above, where values are {@link Value#LONG}. */
  public void addLong(long[] coordinates, long value) {
    add(coordinates, value, layout.mirror() == Mirror.SAME ? value : -value);
  }

  private void add(long[] coordinates, long value, long opposite) {
    put(coordinates, value);
    set(RECORDS, records() + 1);
    if (layout.mirror() != Mirror.NONE && coordinates[0] != coordinates[1]) {
      put(new long[] {coordinates[1], coordinates[0]}, opposite);
    }
  }

  private void put(long[] coordinates, long value) {
    int entry = size();
    if (entry >= capacity) {
      throw new IllegalStateException("the columns are full");
    }
    for (int mode = 0; mode < coordinates.length; mode++) {
      long coordinate = coordinates[mode];
      if (!wide[mode] && coordinate > Integer.MAX_VALUE) {
        widen(mode, entry);
      }
      if (wide[mode]) {
        NativeMemory.putLong(get(column(mode)) + (long) entry * Long.BYTES, coordinate);
      } else {
        NativeMemory.putInt(get(column(mode)) + (long) entry * Integer.BYTES, (int) coordinate);
      }
      set(column(mode) + 3, Math.max(maxCoordinate(mode), coordinate));
    }
    NativeMemory.putLong(get(VALUES) + (long) entry * Long.BYTES, value);
    set(SIZE, entry + 1L);
  }

  private void widen(int mode, int entries) {
    long narrow = get(column(mode));
    wide[mode] = true;
    allocate(mode);
    long column = get(column(mode));
    for (int e = 0; e < entries; e++) {
      NativeMemory.putLong(
          column + (long) e * Long.BYTES, NativeMemory.getInt(narrow + (long) e * Integer.BYTES));
    }
    memory.free(narrow, (long) capacity * Integer.BYTES);
  }

  /** The entries in the columns as a block; the columns are empty then. */
  public CooBlock take() {
    int size = size();
    Object[] columns = new Object[layout.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      long address = get(column(mode));
      if (wide[mode]) {
        long[] column = new long[size];
        NativeMemory.copyToArray(address, column, 0, size);
        columns[mode] = column;
      } else {
        int[] column = new int[size];
        NativeMemory.copyToArray(address, column, 0, size);
        columns[mode] = column;
      }
    }
    return layout.value() == Value.LONG
        ? CooBlock.ofColumns(columns, takeLongs(), size)
        : CooBlock.ofColumns(columns, takeValues(), size);
  }

  /** The values alone; the columns are empty then. */
  public double[] takeValues() {
    int size = size();
    double[] values = new double[size];
    NativeMemory.copyToArray(get(VALUES), values, 0, size);
    set(SIZE, 0);
    return values;
  }

  /** The values alone, where they are {@link Value#LONG}; the columns are empty then. */
  public long[] takeLongs() {
    long[] values = new long[size()];
    NativeMemory.copyToArray(get(VALUES), values, 0, values.length);
    set(SIZE, 0);
    return values;
  }

  @Override
  public void close() {
    if (get(VALUES) != 0) {
      memory.free(get(VALUES), (long) capacity * Double.BYTES);
    }
    for (int mode = 0; mode < wide.length; mode++) {
      long bytes = get(column(mode) + 1);
      if (get(column(mode)) != 0) {
        memory.free(get(column(mode)), capacity * bytes);
      }
    }
    memory.free(arguments, bytes(wide.length));
  }
}
