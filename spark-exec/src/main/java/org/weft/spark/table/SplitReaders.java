package org.weft.spark.table;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Readers of splits, on executors; columnar ones only. */
final class SplitReaders implements PartitionReaderFactory {
  private static final long serialVersionUID = 1L;

  private final OpenTable table;
  private final ArrayList<TensorColumns.Column> columns;
  private final CoordinateFilter.All filter;

  SplitReaders(OpenTable table, List<TensorColumns.Column> columns, CoordinateFilter.All filter) {
    this.table = table;
    this.columns = new ArrayList<>(columns);
    this.filter = filter;
  }

  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return true;
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    throw new UnsupportedOperationException("columnar batches only");
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    int split = ((SplitPartition) partition).split();
    boolean countOnly = columns.isEmpty() && filter.filters().isEmpty();
    return countOnly && table.entries(split).isPresent()
        ? new CountReader(table.entries(split).getAsLong())
        : new SplitReader(table, split, columns, filter);
  }
}
