package org.weft.spark.table;

import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Rows without columns: what {@code count(*)} asks of a part whose entries have been counted. */
final class CountReader implements PartitionReader<ColumnarBatch> {
  private static final int MOST_ROWS = 1 << 30;

  private long left;
  private int rows;

  CountReader(long entries) {
    this.left = entries;
  }

  @Override
  public boolean next() {
    rows = (int) Math.min(MOST_ROWS, left);
    left -= rows;
    return rows > 0;
  }

  @Override
  public ColumnarBatch get() {
    return new ColumnarBatch(new ColumnVector[0], rows);
  }

  @Override
  public void close() {}
}
