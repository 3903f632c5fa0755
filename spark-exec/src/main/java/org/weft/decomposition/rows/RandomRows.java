package org.weft.decomposition.rows;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.weft.tensor.DenseMatrix;

/**
 * Random rows in [0, 1), each a function of the seed and its number: {@link DenseMatrix#random}.
 */
public record RandomRows(long seed, long rows, int columns) implements RowSource {
  @Override
  public void forEach(long from, long to, Sink sink) {
    double[] values = new double[columns];
    try {
      for (long row = from; row < to; row++) {
        DenseMatrix.randomRow(seed, row, values, 0, columns);
        sink.row(row, values);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
