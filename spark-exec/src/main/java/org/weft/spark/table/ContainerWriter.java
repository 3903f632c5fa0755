package org.weft.spark.table;

import java.io.IOException;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.weft.spark.wire.Wire;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;
import org.weft.storage.file.FileAccess;

/**
 * A table into a version of a container: each task writes data files of its own, which nobody sees
 * before the driver publishes the manifest that names them.
 */
final class ContainerWriter implements Serializable {
  private static final long serialVersionUID = 1L;

  private final WriteColumns columns;
  private final boolean integral;
  private final ParallelContainer.Target target;

  private ContainerWriter(WriteColumns columns, boolean integral, ParallelContainer.Target target) {
    this.columns = columns;
    this.integral = integral;
    this.target = target;
  }

  /**
   * Writes and commits; a batch that is there already stays as it is.
   *
   * @param sort whether rows are first sent to tasks by ranges of the outermost mode, so that parts
   *     have slices of their own: a shuffle now, no shuffle and fewer parts for those who read
   */
  static void write(
      Dataset<Row> data,
      WriteColumns columns,
      boolean sort,
      ParallelContainer made,
      WriteOptions options) {
    int order = columns.modes().size();
    ParallelContainer.Target target = made.target(options, order);
    ContainerPiece all = ContainerPiece.none(order);
    try (LabelledRows labelled =
        LabelledRows.of(columns.select(data), columns, made.base().orElse(null))) {
      Dataset<Row> selected = labelled.rows();
      boolean integral = InternalRows.isIntegral(selected);
      if (sort) {
        org.apache.spark.sql.Column[] sorting = WriteColumns.order(target.modeOrder());
        selected = selected.repartitionByRange(sorting[0]).sortWithinPartitions(sorting);
      }
      ContainerWriter task = new ContainerWriter(columns, integral, target);
      JavaRDD<InternalRow> rows = Wire.partitioned(InternalRows.of(selected));
      all.merge(Wire.reduce(rows.mapPartitions(task::write), ContainerPiece::merge));
      labelled.write(target, all);
    }
    try {
      made.commit(options, all);
    } catch (IOException e) {
      throw FileAccess.unavailable(columns.uri(), e);
    }
  }

  private Iterator<ContainerPiece> write(Iterator<InternalRow> rows) throws IOException {
    if (!rows.hasNext()) {
      return List.of(ContainerPiece.none(columns.modes().size())).iterator();
    }
    TaskContext task = TaskContext.get();
    String attempt = "-" + task.taskAttemptId();
    try (PieceWriter writer = PieceWriter.entries(target, task.partitionId(), attempt)) {
      RowEntries entries = new RowEntries(columns, integral, rows);
      while (entries.hasNext()) {
        writer.write(entries.next());
      }
      return List.of(writer.finish()).iterator();
    }
  }
}
