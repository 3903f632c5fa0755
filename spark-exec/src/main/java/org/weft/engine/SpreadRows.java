package org.weft.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.entries.HeavySlices;
import org.weft.tensor.DenseMatrix;

/**
 * Rows of some slices of a mode; those of the others are zeros.
 *
 * @param some a row for each of the slices
 * @param rows slices of the mode
 */
record SpreadRows(HeavySlices slices, DenseMatrix some, long rows) implements RowSource {
  @Override
  public int columns() {
    return some.columns();
  }

  @Override
  public void forEach(long from, long to, Sink sink) {
    double[] values = new double[columns()];
    try {
      for (long row = from; row < to; row++) {
        long number = slices.number(row);
        if (number < 0) {
          Arrays.fill(values, 0);
        } else {
          some.copyRow(number, values, 0);
        }
        sink.row(row, values);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
