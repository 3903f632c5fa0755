package org.weft.spark.resident;

import org.weft.decomposition.rows.RowSource;
import org.weft.spark.wire.Sent;
import org.weft.tensor.DenseMatrix;

/** A matrix of the driver, of which every process takes a copy when it reads the first row. */
public record SentRows(Sent<DenseMatrix> matrix, long rows, int columns) implements RowSource {
  @Override
  public void forEach(long from, long to, Sink sink) {
    RowSource.of(matrix.value()).forEach(from, to, sink);
  }
}
