package org.weft.tensor;

import org.weft.memory.NativeMemory;

/** Entries that are copied off the heap, column by column. Not thread-safe; close it. */
interface EntryColumns extends AutoCloseable {
  /** Number of entries. */
  long size();

  /** Whether coordinates of {@code mode} are copied as 8 bytes, otherwise as 4. */
  boolean isWide(int mode);

  /**
   * Copies entries {@code [from, from + count)}.
   *
   * @param columns addresses of the coordinates, by mode
   * @param values address of values of 8 bytes
   * @param exact whether values are long, which those of the entries then are; otherwise double
   */
  void copy(long from, int count, long[] columns, long values, boolean exact);

  @Override
  void close();

  /** The entries of a block on the heap. */
  static EntryColumns of(CooBlock block) {
    return new EntryColumns() {
      @Override
      public long size() {
        return block.size();
      }

      @Override
      public boolean isWide(int mode) {
        return block.isWide(mode);
      }

      @Override
      public void copy(long from, int count, long[] columns, long values, boolean exact) {
        int at = (int) from;
        for (int mode = 0; mode < columns.length; mode++) {
          if (block.isWide(mode)) {
            NativeMemory.copyFromArray(block.longColumn(mode), at, columns[mode], count);
          } else {
            NativeMemory.copyFromArray(block.intColumn(mode), at, columns[mode], count);
          }
        }
        if (exact) {
          NativeMemory.copyFromArray(block.longValues(), at, values, count);
        } else if (block.hasLongValues()) {
          for (int e = 0; e < count; e++) {
            NativeMemory.putDouble(values + (long) e * Double.BYTES, block.value(at + e));
          }
        } else {
          NativeMemory.copyFromArray(block.values(), at, values, count);
        }
      }

      @Override
      public void close() {}
    };
  }

  /** The entries of a stored tensor in storage order, which is closed with them. */
  static EntryColumns of(TensorStorage storage) {
    return new StoredEntries(storage, true);
  }
}
