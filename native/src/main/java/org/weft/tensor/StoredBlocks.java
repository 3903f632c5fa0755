package org.weft.tensor;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;

/** The entries of a stored tensor in storage order, in blocks on the heap. */
final class StoredBlocks implements Iterator<CooBlock> {
  /** Entries that are made at once: their columns stay in a core's cache. */
  private static final int PIECE = 8192;

  private final TensorStorage storage;
  private final int blockSize;
  private long at;

  /**
   * @param storage that {@link StoredEntries#suits}
   */
  StoredBlocks(TensorStorage storage, int blockSize) {
    this.storage = storage;
    this.blockSize = blockSize;
  }

  @Override
  public boolean hasNext() {
    return at < storage.storedEntries();
  }

  @Override
  public CooBlock next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    int size = (int) Math.min(blockSize, storage.storedEntries() - at);
    try (StoredEntries entries = new StoredEntries(storage, false);
        MemoryScope scope = MemoryScope.root("columns", MemorySource.system())) {
      Object[] columns = new Object[storage.shape().order()];
      for (int mode = 0; mode < columns.length; mode++) {
        columns[mode] = entries.isWide(mode) ? new long[size] : new int[size];
      }
      if (storage.format().valueType() == ValueType.LONG) {
        long[] values = new long[size];
        copy(entries, scope, columns, values, size);
        return CooBlock.ofColumns(columns, values, size);
      }
      double[] values = new double[size];
      copy(entries, scope, columns, values, size);
      return CooBlock.ofColumns(columns, values, size);
    } finally {
      at += size;
    }
  }

  private void copy(
      StoredEntries entries, MemoryScope scope, Object[] columns, Object values, int size) {
    int most = Math.min(PIECE, size);
    long bytes = (long) most * Long.BYTES;
    long[] made = new long[columns.length];
    long first = scope.allocateUninitialized(ElementType.U8, bytes * (made.length + 1)).address();
    Arrays.setAll(made, mode -> first + mode * bytes);
    long madeValues = first + made.length * bytes;
    for (int from = 0; from < size; from += most) {
      int count = Math.min(most, size - from);
      entries.copy(at + from, count, made, madeValues, values instanceof long[]);
      for (int mode = 0; mode < made.length; mode++) {
        copy(made[mode], columns[mode], from, count);
      }
      copy(madeValues, values, from, count);
    }
  }

  private static void copy(long source, Object array, int from, int count) {
    if (array instanceof int[] narrow) {
      NativeMemory.copyToArray(source, narrow, from, count);
    } else if (array instanceof long[] wide) {
      NativeMemory.copyToArray(source, wide, from, count);
    } else {
      NativeMemory.copyToArray(source, (double[]) array, from, count);
    }
  }
}
