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
import java.util.NoSuchElementException;
import java.util.Objects;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.line.LineSource;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;

/** Rows that cannot be used: counted by reason, and written to a CSV file, each with its place. */
final class Rejects implements AutoCloseable {
  private final Dataset<Row> rows;

  private Rejects(Dataset<Row> rows) {
    this.rows = rows;
  }

  /** The rejects of {@code source}, which is read again, in the order of files and lines. */
  static Rejects of(SparkSession spark, TableInput source, IngestJob job) {
    Map<LineSource.Split, Long> linesBefore = source.linesBefore();
    Dataset<Row> unsorted =
        spark.createDataFrame(source.each(rows -> new Found(job, rows, linesBefore)), schema());
    return new Rejects(
        unsorted
            .sort("file", "line", "column", "reason", "found")
            .persist(StorageLevel.MEMORY_AND_DISK()));
  }

  private static StructType schema() {
    return new StructType()
        .add("file", DataTypes.StringType)
        .add("line", DataTypes.LongType)
        .add("column", DataTypes.StringType)
        .add("reason", DataTypes.StringType)
        .add("found", DataTypes.StringType)
        .add("record", DataTypes.StringType);
  }

  /** Those of a part of a table, with lines counted from the beginning of the file. */
  private static final class Found implements Iterator<Row> {
    private static final int LOOKS = 1 << 6;
    private static final long USED_BYTES = 8L << 20;

    private final IngestJob job;
    private final TableRows rows;
    private final Map<LineSource.Split, Long> linesBefore;

    /** Where rows go that can be used. */
    private CellRows used;

    private int read;
    private @Nullable Reject next;

    Found(IngestJob job, TableRows rows, Map<LineSource.Split, Long> linesBefore) {
      this.job = job;
      this.rows = rows;
      this.linesBefore = linesBefore;
      this.used = job.rows();
    }

    @Override
    public boolean hasNext() {
      while (next == null && rows.next()) {
        if (++read % LOOKS == 0 && used.bytes() > USED_BYTES) {
          used = job.rows();
        }
        try {
          rows.put(used);
        } catch (BadCell bad) {
          next = rows.reject(bad);
        }
      }
      return next != null;
    }

    @Override
    public Row next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Reject reject = placed(Objects.requireNonNull(next));
      next = null;
      return RowFactory.create(
          reject.file(),
          reject.line(),
          reject.column(),
          reject.reason(),
          reject.found(),
          reject.record());
    }

    private Reject placed(Reject reject) {
      if (reject.file() == null) {
        return reject;
      }
      LineSource.Split split = new LineSource.Split(reject.file(), rows.start());
      return reject.after(linesBefore.getOrDefault(split, 0L));
    }
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
        row.isNullAt(1) ? null : row.getLong(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5));
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
