package org.weft.tensor;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.tensor.level.LevelView;

/**
 * A stored tensor: {@code pos} and {@code crd} arrays per level and the values, off the heap, owned
 * by a scope of its own. {@link #close()} frees them.
 */
public final class TensorStorage implements AutoCloseable {
  private static final int COPY_BYTES = 1 << 16;
  private static final long LEAST_CLEARED = 4 << 20;

  private final MemoryScope scope;
  private final TensorShape shape;
  private final TensorFormat format;
  private final LevelView[] levels;
  private final NativeArray values;

  private TensorStorage(
      MemoryScope scope,
      TensorShape shape,
      TensorFormat format,
      LevelView[] levels,
      NativeArray values) {
    this.scope = scope;
    this.shape = shape;
    this.format = format;
    this.levels = levels;
    this.values = values;
  }

  /** A zero-filled row-major tensor. */
  public static TensorStorage dense(MemoryScope parent, TensorShape shape, ValueType valueType) {
    return dense(parent, shape, TensorFormat.dense(shape.order(), valueType));
  }

  /**
   * A zero-filled tensor that stores every cell.
   *
   * @param format whose levels are all full: row-major, or in blocks
   * @throws IllegalArgumentException for another format
   */
  public static TensorStorage dense(MemoryScope parent, TensorShape shape, TensorFormat format) {
    TensorStorage zeroed = denseUninitialized(parent, shape, format);
    zeroed.clear();
    return zeroed;
  }

  /** As {@link #dense}, with unspecified values: for callers that write every cell. */
  public static TensorStorage denseUninitialized(
      MemoryScope parent, TensorShape shape, TensorFormat format) {
    if (!format.isInsertable()) {
      throw new IllegalArgumentException(
          "expected a format that stores every cell, found " + format);
    }
    MemoryScope scope = parent.child("dense " + shape);
    long cells = 1;
    LevelView[] levels = new LevelView[format.levelCount()];
    for (int level = 0; level < levels.length; level++) {
      long size = format.levelSize(shape, level);
      cells = TensorShape.positions(cells, size);
      levels[level] =
          new LevelView(
              size,
              cells,
              null,
              null,
              level == 0 ? null : levels[level - 1],
              format.sizeBelow(shape, level));
    }
    try {
      NativeArray values = scope.allocateUninitialized(format.valueType().elementType(), cells);
      return new TensorStorage(scope, shape, format, levels, values);
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  /**
   * A row-major tensor over memory that somebody else owns and keeps longer than {@code parent}: a
   * block of rows of a matrix, for example.
   *
   * @param address of the first of as many values as the shape has cells
   */
  public static TensorStorage denseView(
      MemoryScope parent, TensorShape shape, ValueType valueType, long address) {
    MemoryScope scope = parent.child("view " + shape);
    long cells = 1;
    LevelView[] levels = new LevelView[shape.order()];
    for (int level = 0; level < levels.length; level++) {
      cells = Math.multiplyExact(cells, shape.size(level));
      levels[level] = new LevelView(shape.size(level), cells, null, null);
    }
    NativeArray values = scope.adopt(address, valueType.elementType(), cells, () -> {});
    return new TensorStorage(
        scope, shape, TensorFormat.dense(shape.order(), valueType), levels, values);
  }

  /**
   * A tensor over arrays that {@code scope} owns; the storage takes the scope over.
   *
   * @param positions number of positions of each level
   * @param pos bounds per level, null where the level format has none
   * @param crd coordinates per level, null where the level format has none
   */
  public static TensorStorage ofArrays(
      MemoryScope scope,
      TensorShape shape,
      TensorFormat format,
      long[] positions,
      @Nullable NativeArray[] pos,
      @Nullable NativeArray[] crd,
      NativeArray values) {
    LevelView[] levels = new LevelView[format.levelCount()];
    for (int level = 0; level < levels.length; level++) {
      boolean counted = format.coordinate(level).isCounted();
      levels[level] =
          new LevelView(
              counted ? positions[level] : format.levelSize(shape, level),
              positions[level],
              pos[level],
              crd[level],
              level == 0 ? null : levels[level - 1],
              format.sizeBelow(shape, level));
    }
    return new TensorStorage(scope, shape, format, levels, values);
  }

  public TensorShape shape() {
    return shape;
  }

  public TensorFormat format() {
    return format;
  }

  public MemoryScope scope() {
    return scope;
  }

  /** Number of positions of {@code level}; the last level's is the number of stored entries. */
  public long positions(int level) {
    return levels[level].positions();
  }

  public boolean hasPos(int level) {
    return levels[level].pos() != null;
  }

  public boolean hasCrd(int level) {
    return levels[level].crd() != null;
  }

  public NativeArray pos(int level) {
    return require(levels[level].pos(), "pos", level);
  }

  public NativeArray crd(int level) {
    return require(levels[level].crd(), "crd", level);
  }

  private NativeArray require(@Nullable NativeArray array, String name, int level) {
    if (array == null) {
      throw new IllegalStateException(
          "level " + level + " of format " + format + " has no " + name + " array");
    }
    return array;
  }

  public LevelView level(int level) {
    return levels[level];
  }

  public NativeArray vals() {
    return values;
  }

  /** Sets every value to 0. */
  public void clear() {
    clear(1);
  }

  /** As {@link #clear()}, with several threads where there is much to write. */
  public void clear(int threads) {
    long address = values.address();
    long bytes = values.byteSize();
    int parts = (int) Math.min(threads, bytes / LEAST_CLEARED);
    if (parts <= 1) {
      NativeMemory.fill(address, bytes, (byte) 0);
      return;
    }
    IntStream.range(0, parts)
        .parallel()
        .forEach(
            part -> {
              long from = bytes * part / parts;
              long to = bytes * (part + 1) / parts;
              NativeMemory.fill(address + from, to - from, (byte) 0);
            });
  }

  /** Number of values, explicit zeros and values of positions without a coordinate included. */
  public long storedEntries() {
    return levels.length == 0 ? 1 : levels[levels.length - 1].positions();
  }

  /** Bytes of all arrays. */
  public long byteSize() {
    long bytes = values.byteSize();
    for (LevelView level : levels) {
      bytes += level.pos() == null ? 0 : level.pos().byteSize();
      bytes += level.crd() == null ? 0 : level.crd().byteSize();
    }
    return bytes;
  }

  /**
   * Visits every stored entry in storage order. Long values beyond 2^53 are rounded: see {@link
   * #forEachPosition}.
   */
  public void forEachEntry(EntryVisitor visitor) {
    EntryCursor cursor = new EntryCursor(this);
    while (cursor.next()) {
      visitor.visit(cursor.coordinates(), values.getDouble(cursor.position()));
    }
  }

  /** Receives entries. The coordinate array is in mode order and reused between calls. */
  @FunctionalInterface
  public interface EntryVisitor {
    void visit(long[] coordinates, double value);
  }

  /** Receives stored entries. The coordinate array is in mode order and reused between calls. */
  @FunctionalInterface
  public interface PositionVisitor {
    /**
     * Called for every stored entry.
     *
     * @param position where the value is in {@link #vals}
     */
    void visit(long[] coordinates, long position);
  }

  /** Visits the coordinates of every stored entry with its position in {@link #vals}. */
  public void forEachPosition(PositionVisitor visitor) {
    EntryCursor cursor = new EntryCursor(this);
    while (cursor.next()) {
      visitor.visit(cursor.coordinates(), cursor.position());
    }
  }

  /** Writes the complete arrays in the host's byte order; format and shape travel apart. */
  public void writeTo(DataOutput out) throws IOException {
    byte[] buffer = new byte[COPY_BYTES];
    for (LevelView level : levels) {
      out.writeLong(level.positions());
      writeArray(out, level.pos(), buffer);
      writeArray(out, level.crd(), buffer);
    }
    writeArray(out, values, buffer);
  }

  private static void writeArray(DataOutput out, @Nullable NativeArray array, byte[] buffer)
      throws IOException {
    if (array == null) {
      out.writeLong(-1);
      return;
    }
    out.writeLong(array.length());
    long bytes = array.byteSize();
    for (long at = 0; at < bytes; at += buffer.length) {
      int count = (int) Math.min(buffer.length, bytes - at);
      NativeMemory.copyToArray(array.address() + at, buffer, 0, count);
      out.write(buffer, 0, count);
    }
  }

  /** Reads what {@link #writeTo} wrote for the same shape and format. */
  public static TensorStorage readFrom(
      MemoryScope parent, TensorShape shape, TensorFormat format, DataInput in) throws IOException {
    MemoryScope scope = parent.child("received " + shape);
    try {
      byte[] buffer = new byte[COPY_BYTES];
      int count = format.levelCount();
      long[] positions = new long[count];
      @Nullable NativeArray[] pos = new NativeArray[count];
      @Nullable NativeArray[] crd = new NativeArray[count];
      for (int level = 0; level < positions.length; level++) {
        LevelSpec spec = format.level(level);
        positions[level] = in.readLong();
        pos[level] = readArray(scope, spec.posWidth().elementType(), in, buffer);
        crd[level] = readArray(scope, spec.crdWidth().elementType(), in, buffer);
      }
      NativeArray values = readArray(scope, format.valueType().elementType(), in, buffer);
      if (values == null) {
        throw new IOException("a stored tensor without values");
      }
      return ofArrays(scope, shape, format, positions, pos, crd, values);
    } catch (IOException | RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  private static @Nullable NativeArray readArray(
      MemoryScope scope, ElementType type, DataInput in, byte[] buffer) throws IOException {
    long length = in.readLong();
    if (length < 0) {
      return null;
    }
    NativeArray array = scope.allocateUninitialized(type, length);
    long bytes = array.byteSize();
    for (long at = 0; at < bytes; at += buffer.length) {
      int count = (int) Math.min(buffer.length, bytes - at);
      in.readFully(buffer, 0, count);
      NativeMemory.copyFromArray(buffer, 0, array.address() + at, count);
    }
    return array;
  }

  @Override
  public void close() {
    scope.close();
  }

  /** Shape, format and counts; never the entries. */
  @Override
  public String toString() {
    long[] positions = Arrays.stream(levels).mapToLong(LevelView::positions).toArray();
    return shape + " " + format + " positions " + Arrays.toString(positions);
  }
}
