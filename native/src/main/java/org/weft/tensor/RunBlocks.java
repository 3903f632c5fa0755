package org.weft.tensor;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.weft.memory.NativeArray;

/**
 * The entries of a tensor in storage order in blocks, copied a run at a time: the entries of a run
 * differ in the coordinate of the last level alone.
 */
final class RunBlocks implements Iterator<CooBlock> {
  private final EntryCursor cursor;
  private final TensorShape shape;
  private final NativeArray last;
  private final NativeArray values;
  private final int lastMode;
  private final int blockSize;
  private boolean more;

  RunBlocks(TensorStorage storage, EntryCursor cursor, int blockSize) {
    int level = storage.format().levelCount() - 1;
    this.cursor = cursor;
    this.shape = storage.shape();
    this.last = Objects.requireNonNull(storage.level(level).crd());
    this.values = storage.vals();
    this.lastMode = storage.format().modeOf(level);
    this.blockSize = (int) Math.min(blockSize, Math.max(1, values.length()));
    this.more = cursor.next();
  }

  @Override
  public boolean hasNext() {
    return more;
  }

  @Override
  public CooBlock next() {
    if (!more) {
      throw new NoSuchElementException();
    }
    Object[] columns = new Object[shape.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      boolean narrow = shape.size(mode) <= 1L << (Integer.SIZE - 1);
      columns[mode] = narrow ? new int[blockSize] : new long[blockSize];
    }
    double[] into = new double[blockSize];
    int size = 0;
    while (more && size < blockSize) {
      int count = (int) Math.min(blockSize - size, cursor.run());
      copy(columns, into, size, count);
      size += count;
      more = cursor.next(count);
    }
    CooBlock block = CooBlock.ofColumns(columns, into, size);
    return size < blockSize ? block.slice(0, size) : block;
  }

  private void copy(Object[] columns, double[] into, int from, int count) {
    long[] coordinates = cursor.coordinates();
    long position = cursor.position();
    for (int mode = 0; mode < columns.length; mode++) {
      if (columns[mode] instanceof int[] narrow) {
        if (mode == lastMode) {
          for (int e = 0; e < count; e++) {
            narrow[from + e] = (int) last.getLong(position + e);
          }
        } else {
          Arrays.fill(narrow, from, from + count, (int) coordinates[mode]);
        }
      } else if (columns[mode] instanceof long[] wide) {
        if (mode == lastMode) {
          for (int e = 0; e < count; e++) {
            wide[from + e] = last.getLong(position + e);
          }
        } else {
          Arrays.fill(wide, from, from + count, coordinates[mode]);
        }
      }
    }
    for (int e = 0; e < count; e++) {
      into[from + e] = values.getDouble(position + e);
    }
  }
}
