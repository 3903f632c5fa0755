package org.weft.decomposition.rows;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.weft.tensor.DenseMatrix;

/**
 * A matrix that rows start from, in the order in which the user knows the slices: one of this
 * process, or what whoever has rows reads by itself. Travels to executors.
 */
public interface RowSource extends Serializable {
  /** Receives rows in order. */
  @FunctionalInterface
  interface Sink {
    /**
     * @param values one for each column; valid during the call
     */
    void row(long row, double[] values) throws IOException;
  }

  long rows();

  int columns();

  /** Rows between two wanted ones that are better read than skipped. */
  default int gapRows() {
    return 0;
  }

  /** Hands on rows {@code [from, to)} in order. Memory: a row and a buffer. */
  void forEach(long from, long to, Sink sink);

  /** The rows of a matrix of this process. */
  static RowSource of(DenseMatrix matrix) {
    return new Matrix(matrix);
  }

  /** All rows in this process. Memory: theirs. */
  default DenseMatrix collect() {
    DenseMatrix all = DenseMatrix.zeros(rows(), columns());
    forEach(0, rows(), (row, values) -> all.setRow(row, values, 0));
    return all;
  }

  /** A matrix of this process. */
  record Matrix(DenseMatrix matrix) implements RowSource {
    @Override
    public long rows() {
      return matrix.rows();
    }

    @Override
    public int columns() {
      return matrix.columns();
    }

    @Override
    public DenseMatrix collect() {
      return matrix;
    }

    @Override
    public void forEach(long from, long to, Sink sink) {
      double[] values = new double[columns()];
      try {
        for (long row = from; row < to; row++) {
          matrix.copyRow(row, values, 0);
          sink.row(row, values);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
