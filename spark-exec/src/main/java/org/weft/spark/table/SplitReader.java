package org.weft.spark.table;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.container.Container;
import org.weft.tensor.CooBlock;

/** The blocks of a split as batches of the columns that are asked for. */
final class SplitReader implements PartitionReader<ColumnarBatch> {
  private static final Labels NONE = Labels.of(List.of());

  private static final Set<TensorColumns.Kind> LABELS =
      Set.of(TensorColumns.Kind.LABEL, TensorColumns.Kind.NAME);

  private final BlockReader reader;
  private final List<TensorColumns.Column> columns;
  private final CoordinateFilter.All filter;
  private final long base;
  private final Labels[] labels;
  private @Nullable ColumnarBatch batch;
  private long entriesRead;

  SplitReader(
      OpenTable table, int split, List<TensorColumns.Column> columns, CoordinateFilter.All filter) {
    this.columns = columns;
    this.filter = filter;
    this.base = table.columns().base();
    this.labels = new Labels[columns.size()];
    for (int c = 0; c < labels.length; c++) {
      Container container = table.container();
      labels[c] =
          LABELS.contains(columns.get(c).kind()) && container != null
              ? KnownLabels.of(container, columns.get(c).mode())
              : NONE;
    }
    InputPlan plan = table.plan().wanting(wanted(columns, filter));
    this.reader = TensorFiles.read(table.files(), plan, plan.splits().get(split));
  }

  /** What of the entries the columns and the filter look at. */
  private static ReadOptions.Wanted wanted(
      List<TensorColumns.Column> columns, CoordinateFilter.All filter) {
    boolean value = columns.stream().anyMatch(c -> c.kind() == TensorColumns.Kind.VALUE);
    boolean coordinate =
        !filter.filters().isEmpty()
            || columns.stream().anyMatch(c -> c.kind() != TensorColumns.Kind.VALUE);
    return !value
        ? ReadOptions.Wanted.COORDINATES
        : coordinate ? ReadOptions.Wanted.ALL : ReadOptions.Wanted.VALUES;
  }

  @Override
  public boolean next() {
    while (reader.hasNext()) {
      CooBlock block = reader.next();
      entriesRead += block.size();
      int[] selection = filter.filters().isEmpty() ? null : filter.select(block);
      int rows = selection == null ? block.size() : selection.length;
      if (rows > 0) {
        batch = batch(block, selection, rows);
        return true;
      }
    }
    return false;
  }

  private ColumnarBatch batch(CooBlock block, int @Nullable [] selection, int rows) {
    ColumnVector[] vectors = new ColumnVector[columns.size()];
    for (int c = 0; c < vectors.length; c++) {
      vectors[c] = EntryVector.of(columns.get(c), base, block, selection, labels[c]);
    }
    return new ColumnarBatch(vectors, rows);
  }

  @Override
  public ColumnarBatch get() {
    return java.util.Objects.requireNonNull(batch, "get before next");
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return new CustomTaskMetric[] {new ScanMetrics.Value(ScanMetrics.ENTRIES_READ, entriesRead)};
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
