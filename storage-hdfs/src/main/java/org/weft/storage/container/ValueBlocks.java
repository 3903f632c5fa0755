package org.weft.storage.container;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.storage.ReadOptions;
import org.weft.tensor.CooBlock;

/** The values of a part, in the order of its entries, whose coordinates are given as 0. */
final class ValueBlocks implements Iterator<CooBlock> {
  private final NativeArray values;
  private final int most;
  private final int[] zeros;
  private final int order;
  private long at;

  ValueBlocks(NativeArray values, int order, ReadOptions options) {
    this.values = values;
    this.order = order;
    this.most = (int) Math.min(options.blockEntries(), values.length());
    this.zeros = new int[most];
  }

  @Override
  public boolean hasNext() {
    return at < values.length();
  }

  @Override
  public CooBlock next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    int count = (int) Math.min(most, values.length() - at);
    Object[] columns = new Object[order];
    java.util.Arrays.fill(columns, zeros);
    long from = at;
    at += count;
    switch (values.type()) {
      case I64 -> {
        long[] copy = new long[count];
        NativeMemory.copyToArray(values.address() + from * Long.BYTES, copy, 0, count);
        return CooBlock.ofColumns(columns, copy, count);
      }
      default -> {
        double[] copy = new double[count];
        for (int i = 0; i < count; i++) {
          copy[i] = values.getDouble(from + i);
        }
        return CooBlock.ofColumns(columns, copy, count);
      }
    }
  }
}
