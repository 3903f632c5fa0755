package org.weft.spark.resident;

import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.Shared;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.spark.wire.Sent;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/**
 * The rows that a decomposition starts from: those of a matrix, of which every process takes a copy
 * when it reads the first one.
 *
 * @param original from the rows' numbers to those of the matrix; null where they are the same
 */
public record GivenRows(Sent<DenseMatrix> matrix, int mode, @Nullable Shared<Relabelling> original)
    implements FactorSource {

  @Override
  public long copy(long from, long to, int columns, ValueType type, long address) {
    DenseMatrix rows = matrix.value();
    Permutation old = original == null ? null : original.value().mode(mode);
    double[] row = new double[columns];
    long at = address;
    for (long i = from; i < to; i++) {
      rows.copyRow(old == null ? i : old.apply(i), row, 0);
      SeededRows.put(row, type, at);
      at += (long) columns * type.bytes();
    }
    return 0;
  }
}
