package org.weft.spark.table;

import java.io.IOException;
import java.io.Serializable;
import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.weft.storage.ContainerOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/** A table into one file, by one task that commits it. */
final class FileWriter implements Serializable {
  private static final long serialVersionUID = 1L;

  private final FileAccess files;
  private final WriteColumns columns;
  private final boolean integral;
  private final boolean overwrite;
  private final boolean zeroBased;
  private final boolean extendedHeader;

  FileWriter(
      FileAccess files,
      WriteColumns columns,
      boolean integral,
      boolean overwrite,
      boolean zeroBased,
      boolean extendedHeader) {
    this.files = files;
    this.columns = columns;
    this.integral = integral;
    this.overwrite = overwrite;
    this.zeroBased = zeroBased;
    this.extendedHeader = extendedHeader;
  }

  /** Writes {@code selected}, sorted by coordinates if that is asked for. */
  void write(Dataset<Row> selected, boolean sort) {
    int order = columns.modes().size();
    int[] modes = java.util.stream.IntStream.range(0, order).toArray();
    Dataset<Row> one =
        sort
            ? selected.repartition(1).sortWithinPartitions(WriteColumns.order(modes))
            : selected.coalesce(1);
    JavaRDD<InternalRow> rows = InternalRows.of(one);
    if (rows.getNumPartitions() == 0) {
      write(Collections.emptyIterator());
    } else {
      rows.foreachPartition(this::write);
    }
  }

  private void write(Iterator<InternalRow> rows) {
    WriteOptions options =
        WriteOptions.defaults()
            .withZeroBased(zeroBased)
            .withExtendedHeader(extendedHeader)
            .withContainer(ContainerOptions.defaults().withValueType(columns.type()));
    TensorShape shape = columns.shape();
    try (TensorOutput output =
        TensorFiles.create(
            files,
            columns.uri(),
            existing(),
            columns.modes().size(),
            shape == null ? options : options.withShape(shape))) {
      RowEntries entries = new RowEntries(columns, integral, rows);
      while (entries.hasNext()) {
        output.write(entries.next());
      }
      output.commit();
    } catch (IOException e) {
      throw FileAccess.unavailable(columns.uri(), e);
    }
  }

  /** A retried attempt accepts the file of an earlier one, whose success Spark did not hear of. */
  private Existing existing() {
    TaskContext task = TaskContext.get();
    boolean retry = task != null && (task.attemptNumber() > 0 || task.stageAttemptNumber() > 0);
    return overwrite ? Existing.REPLACE : retry ? Existing.KEEP : Existing.REFUSE;
  }
}
