package org.weft.spark.resident;

import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.Shared;
import org.weft.memory.NativeMemory;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/**
 * The rows that a decomposition starts from: random numbers, which every process makes by itself.
 *
 * @param seed of {@link DenseMatrix#random}
 * @param original from the rows' numbers to those that the random numbers are a function of; null
 *     where they are the same
 */
public record SeededRows(long seed, int mode, @Nullable Shared<Relabelling> original)
    implements FactorSource {

  @Override
  public long copy(long from, long to, int columns, ValueType type, long address) {
    Permutation old = original == null ? null : original.value().mode(mode);
    double[] row = new double[columns];
    long at = address;
    for (long i = from; i < to; i++) {
      DenseMatrix.randomRow(seed, old == null ? i : old.apply(i), row, 0, columns);
      put(row, type, at);
      at += (long) columns * type.bytes();
    }
    return 0;
  }

  /** One row, to memory. */
  static void put(double[] row, ValueType type, long address) {
    if (type == ValueType.FLOAT) {
      for (int r = 0; r < row.length; r++) {
        NativeMemory.putFloat(address + (long) r * Float.BYTES, (float) row[r]);
      }
    } else {
      NativeMemory.copyFromArray(row, 0, address, row.length);
    }
  }
}
