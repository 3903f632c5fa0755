package org.weft.spark.ingest;

import java.util.Iterator;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.sql.Row;
import org.weft.spark.ingest.line.LineSource;

/** The rows of a job's table as tasks read them. */
sealed interface TableInput {
  /** What is made of each part of the table. */
  <T> JavaRDD<T> each(Function<TableRows, Iterator<T>> work);

  /** For every split of text the lines of its file before it, for which all inputs are read. */
  Map<LineSource.Split, Long> linesBefore();

  /** Plain tables are taken apart as one process does, which is faster than Spark's reader. */
  record Plain(IngestJob job, LineSource lines, PlainTable.Layout layout) implements TableInput {
    @Override
    public <T> JavaRDD<T> each(Function<TableRows, Iterator<T>> work) {
      IngestJob rules = job;
      PlainTable.Layout how = layout;
      return lines.each((split, texts) -> work.call(new PlainRows(rules, how, split, texts)));
    }

    @Override
    public Map<LineSource.Split, Long> linesBefore() {
      return lines.linesBefore();
    }
  }

  /**
   * Any other table.
   *
   * @param rows as {@link SparkRows} expects them
   */
  record OfSpark(IngestJob job, TableSource source, JavaRDD<Row> rows) implements TableInput {
    @Override
    public <T> JavaRDD<T> each(Function<TableRows, Iterator<T>> work) {
      IngestJob rules = job;
      return rows.mapPartitions(part -> work.call(new SparkRows(rules, part)));
    }

    @Override
    public Map<LineSource.Split, Long> linesBefore() {
      return source.linesBefore();
    }
  }
}
