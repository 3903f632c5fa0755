package org.weft.spark.ingest;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.storage.StorageLevel;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;

/** Rows that cannot be used: counted by reason, and written to a CSV file, each with its place. */
final class Rejects implements AutoCloseable {
  private final Dataset<Row> rows;

  private Rejects(Dataset<Row> rows) {
    this.rows = rows;
  }

  /** The rejects of {@code table}, which is read again, in the order of files and lines. */
  static Rejects of(
      SparkSession spark,
      JavaRDD<TableRow> table,
      RowReader reader,
      Map<LineSource.Split, Long> linesBefore) {
    Dataset<Row> unplaced =
        spark.createDataFrame(
            table.mapPartitions(reader::rejects).map(row -> placed(row, linesBefore)),
            RowReader.rejectSchema());
    return new Rejects(
        unplaced
            .sort("file", "line", "column", "reason", "found")
            .persist(StorageLevel.MEMORY_AND_DISK()));
  }

  /** With lines counted from the beginning of the file instead of that of the split. */
  private static Row placed(Row reject, Map<LineSource.Split, Long> linesBefore) {
    if (reject.isNullAt(0) || reject.isNullAt(2)) {
      return reject;
    }
    Object[] cells = new Object[reject.length()];
    for (int c = 0; c < cells.length; c++) {
      cells[c] = reject.get(c);
    }
    LineSource.Split split = new LineSource.Split(reject.getString(0), reject.getLong(1));
    cells[2] = reject.getLong(2) + linesBefore.getOrDefault(split, 0L);
    return RowFactory.create(cells);
  }

  /** Rejects by column and reason, the most frequent first. */
  List<IngestReport.Reason> reasons() {
    List<IngestReport.Reason> reasons = new ArrayList<>();
    List<Row> counted =
        rows.groupBy("column", "reason")
            .agg(functions.count(functions.lit(1)).as("rows"))
            .sort(functions.col("rows").desc(), functions.col("column"), functions.col("reason"))
            .collectAsList();
    for (Row row : counted) {
      reasons.add(new IngestReport.Reason(row.getString(0), row.getString(1), row.getLong(2)));
    }
    return reasons;
  }

  Reject first() {
    return reject(rows.head());
  }

  private static Reject reject(Row row) {
    return new Reject(
        row.getString(0),
        row.isNullAt(2) ? null : row.getLong(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getString(6));
  }

  /** Writes all of them by one task to the staged file of {@code output}, which is to commit it. */
  void write(FileAccess files, OutputCommit output) {
    String staged = output.stagedFile();
    rows.coalesce(1).javaRDD().foreachPartition(rejects -> write(files, staged, rejects));
  }

  private static void write(FileAccess files, String uri, Iterator<Row> rejects)
      throws IOException {
    try (OutputCommit attempt = OutputCommit.attempt(files, uri)) {
      try (Writer out =
          new BufferedWriter(new OutputStreamWriter(attempt.create(), StandardCharsets.UTF_8))) {
        out.write(Reject.HEADER);
        while (rejects.hasNext()) {
          out.write(reject(rejects.next()).csv());
        }
      }
      attempt.commit();
    }
  }

  @Override
  public void close() {
    rows.unpersist();
  }
}
