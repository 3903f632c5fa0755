package org.weft.tensor;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.List;
import org.weft.memory.ShortNumbers;

/**
 * Coordinate entries in columns on the Java heap: what readers produce and shuffles move. A column
 * is {@code int[]} while all its coordinates fit 31 bits and {@code long[]} otherwise. No order and
 * no uniqueness is implied. Values are {@code double[]}, or {@code long[]} for tensors of long,
 * whose values a double may not hold. Immutable: columns are shared, not copied, and must not be
 * written.
 */
public final class CooBlock implements Serializable {
  private static final long serialVersionUID = 1L;

  /** int[] or long[], one per mode, at least {@code size} long. */
  private final Object[] columns;

  /** double[] or long[]. */
  private final Object values;

  private final int size;

  private CooBlock(Object[] columns, Object values, int size) {
    this.columns = columns;
    this.values = values;
    this.size = size;
  }

  /** A block over the caller's columns, each {@code int[]} or {@code long[]}, which it now owns. */
  public static CooBlock ofColumns(Object[] columns, double[] values, int size) {
    return ofAnyColumns(columns, values, size);
  }

  /** As above, with long values. */
  public static CooBlock ofColumns(Object[] columns, long[] values, int size) {
    return ofAnyColumns(columns, values, size);
  }

  private static CooBlock ofAnyColumns(Object[] columns, Object values, int size) {
    for (Object column : columns) {
      int length = column instanceof int[] narrow ? narrow.length : ((long[]) column).length;
      if (length < size) {
        throw new IllegalArgumentException("a column of " + length + " for " + size + " entries");
      }
    }
    return new CooBlock(columns.clone(), values, size);
  }

  public int order() {
    return columns.length;
  }

  /** Number of entries. */
  public int size() {
    return size;
  }

  public long coordinate(int mode, int entry) {
    Object column = columns[mode];
    return column instanceof int[] narrow ? narrow[entry] : ((long[]) column)[entry];
  }

  public double value(int entry) {
    return values instanceof long[] exact ? exact[entry] : ((double[]) values)[entry];
  }

  /** Whether the values are {@code long[]}. */
  public boolean hasLongValues() {
    return values instanceof long[];
  }

  /** The value of {@code entry}, exactly where the block has long values. */
  public long longValue(int entry) {
    return values instanceof long[] exact ? exact[entry] : (long) ((double[]) values)[entry];
  }

  /** Whether the column of {@code mode} is {@code long[]}. */
  public boolean isWide(int mode) {
    return columns[mode] instanceof long[];
  }

  /** The column itself; entries past {@link #size()} are meaningless. Not for writing. */
  public int[] intColumn(int mode) {
    return (int[]) columns[mode];
  }

  public long[] longColumn(int mode) {
    return (long[]) columns[mode];
  }

  /** The values themselves, not for writing; converted where the block has long values. */
  public double[] values() {
    return values instanceof long[] exact
        ? Arrays.stream(exact).asDoubleStream().toArray()
        : (double[]) values;
  }

  /** The values themselves of a block with long values; not for writing. */
  public long[] longValues() {
    return (long[]) values;
  }

  /** The same coordinates with other values, one for each entry. */
  public CooBlock withValues(double[] other) {
    return new CooBlock(columns, other, size);
  }

  /** The same coordinates with other values, one for each entry. */
  public CooBlock withValues(long[] other) {
    return new CooBlock(columns, other, size);
  }

  /** The same entries with long values, which theirs are. */
  public CooBlock withLongValues() {
    return hasLongValues()
        ? this
        : new CooBlock(
            columns, Arrays.stream((double[]) values).mapToLong(v -> (long) v).toArray(), size);
  }

  /** The entries [{@code from}, {@code to}) as a block; copied unless these are all. */
  public CooBlock slice(int from, int to) {
    if (from == 0 && to == size) {
      return this;
    }
    Object[] part = new Object[columns.length];
    for (int mode = 0; mode < part.length; mode++) {
      part[mode] =
          isWide(mode)
              ? Arrays.copyOfRange(longColumn(mode), from, to)
              : Arrays.copyOfRange(intColumn(mode), from, to);
    }
    Object some =
        values instanceof long[] exact
            ? Arrays.copyOfRange(exact, from, to)
            : Arrays.copyOfRange((double[]) values, from, to);
    return new CooBlock(part, some, to - from);
  }

  /** This block with one more mode, behind the others. */
  CooBlock withColumn(long[] column) {
    Object[] more = Arrays.copyOf(columns, columns.length + 1);
    more[columns.length] = column;
    return ofAnyColumns(more, values, size);
  }

  /** Approximate bytes on the heap. */
  public long byteSize() {
    long bytes = 8L * Array.getLength(values) + 64;
    for (Object column : columns) {
      bytes += column instanceof int[] narrow ? 4L * narrow.length : 8L * ((long[]) column).length;
    }
    return bytes;
  }

  /** One block with the entries of all, in order. All must have the same order. */
  public static CooBlock concat(List<CooBlock> blocks) {
    if (blocks.isEmpty()) {
      throw new IllegalArgumentException("no blocks");
    }
    if (blocks.size() == 1) {
      return blocks.get(0);
    }
    int order = blocks.get(0).order();
    int total = 0;
    for (CooBlock block : blocks) {
      total = Math.addExact(total, block.size);
    }
    Object[] columns = new Object[order];
    for (int mode = 0; mode < order; mode++) {
      columns[mode] = concatColumn(blocks, mode, total);
    }
    boolean exact = blocks.stream().allMatch(CooBlock::hasLongValues);
    Object values = exact ? new long[total] : new double[total];
    int at = 0;
    for (CooBlock block : blocks) {
      System.arraycopy(exact ? block.values : block.values(), 0, values, at, block.size);
      at += block.size;
    }
    return new CooBlock(columns, values, total);
  }

  private static Object concatColumn(List<CooBlock> blocks, int mode, int total) {
    boolean wide = false;
    for (CooBlock block : blocks) {
      wide |= block.isWide(mode);
    }
    int at = 0;
    if (!wide) {
      int[] column = new int[total];
      for (CooBlock block : blocks) {
        System.arraycopy(block.intColumn(mode), 0, column, at, block.size);
        at += block.size;
      }
      return column;
    }
    long[] column = new long[total];
    for (CooBlock block : blocks) {
      for (int e = 0; e < block.size; e++) {
        column[at++] = block.coordinate(mode, e);
      }
    }
    return column;
  }

  /** The entries with these numbers, in this order; columns are copied. */
  public CooBlock select(int[] entries) {
    Object[] selected = new Object[columns.length];
    for (int mode = 0; mode < selected.length; mode++) {
      if (columns[mode] instanceof int[] narrow) {
        int[] column = new int[entries.length];
        for (int i = 0; i < column.length; i++) {
          column[i] = narrow[entries[i]];
        }
        selected[mode] = column;
      } else {
        selected[mode] = select((long[]) columns[mode], entries);
      }
    }
    if (values instanceof long[] exact) {
      return new CooBlock(selected, select(exact, entries), entries.length);
    }
    double[] from = (double[]) values;
    double[] chosen = new double[entries.length];
    for (int i = 0; i < chosen.length; i++) {
      chosen[i] = from[entries[i]];
    }
    return new CooBlock(selected, chosen, entries.length);
  }

  private static long[] select(long[] from, int[] entries) {
    long[] chosen = new long[entries.length];
    for (int i = 0; i < chosen.length; i++) {
      chosen[i] = from[entries[i]];
    }
    return chosen;
  }

  /**
   * The entries at other coordinates, without those that have none.
   *
   * @param places for each mode the new coordinate of each old one, below 0 for none; no numbers
   *     for a mode whose coordinates stay
   */
  public CooBlock moved(long[][] places) {
    boolean exact = hasLongValues();
    Builder moved = new Builder(order(), Math.max(1, size), exact);
    long[] at = new long[order()];
    for (int e = 0; e < size; e++) {
      boolean known = true;
      for (int mode = 0; mode < at.length; mode++) {
        long own = coordinate(mode, e);
        long[] of = places[mode];
        at[mode] = of.length == 0 ? own : own < of.length ? of[(int) own] : -1;
        known &= of.length == 0 || at[mode] >= 0;
      }
      if (known && exact) {
        moved.addLong(at, longValue(e));
      } else if (known) {
        moved.add(at, value(e));
      }
    }
    return moved.build();
  }

  /**
   * Writes order, size, whether values are long, and a width flag with each column. Columns and
   * values take no more bytes than their largest number.
   */
  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(columns.length);
    out.writeInt(size);
    out.writeBoolean(hasLongValues());
    for (int mode = 0; mode < columns.length; mode++) {
      out.writeBoolean(isWide(mode));
      ShortNumbers.write(out, columns[mode], size);
    }
    ShortNumbers.write(out, values, size);
  }

  public static CooBlock readFrom(DataInput in) throws IOException {
    int order = in.readInt();
    int size = in.readInt();
    boolean exact = in.readBoolean();
    Object[] columns = new Object[order];
    for (int mode = 0; mode < order; mode++) {
      boolean wide = in.readBoolean();
      columns[mode] = wide ? new long[size] : new int[size];
      ShortNumbers.read(in, columns[mode]);
    }
    Object values = exact ? new long[size] : new double[size];
    ShortNumbers.read(in, values);
    return new CooBlock(columns, values, size);
  }

  /** Collects entries; a column widens to long when a coordinate needs it. Not thread-safe. */
  public static final class Builder {
    private final Object[] columns;
    private Object values;
    private int size;

    /** Collects entries with double values. */
    public Builder(int order, int capacityHint) {
      this(order, capacityHint, false);
    }

    /** Collects entries whose values are long if {@code exact}. */
    public Builder(int order, int capacityHint, boolean exact) {
      int capacity = Math.max(16, capacityHint);
      columns = new Object[order];
      for (int mode = 0; mode < order; mode++) {
        columns[mode] = new int[capacity];
      }
      values = exact ? new long[capacity] : new double[capacity];
    }

    public int size() {
      return size;
    }

    /** Adds an entry; {@code coordinates} is copied. */
    public void add(long[] coordinates, double value) {
      for (int mode = 0; mode < columns.length; mode++) {
        set(mode, coordinates[mode]);
      }
      finish(value);
    }

    /** Adds an entry with a long value; {@code coordinates} is copied. */
    public void addLong(long[] coordinates, long value) {
      for (int mode = 0; mode < columns.length; mode++) {
        set(mode, coordinates[mode]);
      }
      finishLong(value);
    }

    /** Sets one coordinate of the entry under construction; {@link #finish} adds the entry. */
    public void set(int mode, long coordinate) {
      if (size == Array.getLength(values)) {
        grow();
      }
      Object column = columns[mode];
      if (column instanceof int[] narrow) {
        if (coordinate == (int) coordinate) {
          narrow[size] = (int) coordinate;
          return;
        }
        column = widen(mode, narrow);
      }
      ((long[]) column)[size] = coordinate;
    }

    public void finish(double value) {
      if (size == Array.getLength(values)) {
        grow();
      }
      if (values instanceof double[] doubles) {
        doubles[size++] = value;
      } else {
        ((long[]) values)[size++] = (long) value;
      }
    }

    /** Adds the entry under construction with a value that stays exact where values are long. */
    public void finishLong(long value) {
      if (size == Array.getLength(values)) {
        grow();
      }
      if (values instanceof long[] longs) {
        longs[size++] = value;
      } else {
        ((double[]) values)[size++] = value;
      }
    }

    private Object widen(int mode, int[] narrow) {
      long[] wide = new long[narrow.length];
      for (int e = 0; e < size; e++) {
        wide[e] = narrow[e];
      }
      columns[mode] = wide;
      return wide;
    }

    private void grow() {
      if (size >= Integer.MAX_VALUE - 16) {
        throw new IllegalStateException("a COO block holds at most 2^31 entries");
      }
      int capacity = (int) Math.min(Integer.MAX_VALUE - 8L, size * 2L);
      for (int mode = 0; mode < columns.length; mode++) {
        columns[mode] =
            columns[mode] instanceof int[] narrow
                ? Arrays.copyOf(narrow, capacity)
                : Arrays.copyOf((long[]) columns[mode], capacity);
      }
      values = copyOf(values, capacity);
    }

    private static Object copyOf(Object array, int length) {
      return array instanceof long[] longs
          ? Arrays.copyOf(longs, length)
          : Arrays.copyOf((double[]) array, length);
    }

    /** The entries so far; the builder starts again empty. */
    public CooBlock build() {
      Object[] exact = new Object[columns.length];
      for (int mode = 0; mode < columns.length; mode++) {
        exact[mode] =
            columns[mode] instanceof int[] narrow
                ? Arrays.copyOf(narrow, size)
                : Arrays.copyOf((long[]) columns[mode], size);
      }
      CooBlock block = new CooBlock(exact, copyOf(values, size), size);
      size = 0;
      return block;
    }
  }
}
