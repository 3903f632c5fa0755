package org.weft.spark.ingest;

import java.io.Serializable;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.spark.key.KeySpace;

/**
 * What to make of a table.
 *
 * @param table the input
 * @param modes of the tensor, in order
 * @param value column of the values, or null: every row counts 1
 * @param aggregate what becomes of rows with the same labels
 * @param transform of the aggregated values
 * @param missing label for missing cells of text modes; null: they are rejects
 * @param allowNonfinite whether NaN and infinities are values
 * @param reproducible whether sums have the same bits for any partitions
 * @param output the container
 * @param overwrite whether outputs that exist are replaced
 * @param append whether the entries are added to a tensor that exists, by their labels
 * @param batch key of what is added, which is written once; empty: none
 * @param replaceBatch whether a batch of that key which is there is replaced
 * @param rejects file for the rows that cannot be used, or null
 * @param maxRejects most rows that may be rejected
 * @param source for the container's provenance
 * @param command for the container's provenance
 * @param program for the container's provenance
 */
public record IngestJob(
    Table table,
    List<ModeSpec> modes,
    @Nullable String value,
    Aggregate aggregate,
    Transform transform,
    @Nullable String missing,
    boolean allowNonfinite,
    boolean reproducible,
    String output,
    boolean overwrite,
    boolean append,
    String batch,
    boolean replaceBatch,
    @Nullable String rejects,
    long maxRejects,
    String source,
    String command,
    String program)
    implements Serializable {
  public IngestJob {
    modes = List.copyOf(modes);
  }

  /** Columns of the table that modes and value are made of. */
  Set<String> named() {
    Set<String> named = new LinkedHashSet<>();
    modes.forEach(mode -> named.add(mode.column()));
    if (value != null) {
      named.add(value);
    }
    return named;
  }

  /** The keys of each mode, none of which are there yet. */
  List<ModeKeys> keys() {
    return modes.stream().map(mode -> new ModeKeys(mode.column(), mode.bucket())).toList();
  }

  /** The keys of each mode, which are numbered apart. */
  List<KeySpace> spaces() {
    return IntStream.range(0, modes.size()).mapToObj(mode -> modes.get(mode).space(mode)).toList();
  }

  /** Collects rows of the table. */
  CellRows rows() {
    return new CellRows(keys());
  }

  /** What becomes of rows with the same labels. */
  public enum Aggregate {
    SUM,
    /** Rows, whatever their values. */
    COUNT,
    MEAN,
    MIN,
    MAX,
    /** 1, however many rows. */
    ANY
  }

  /** What becomes of an aggregated value. */
  public enum Transform {
    NONE,
    /** {@code log(1 + x)}. */
    LOG1P,
    SQRT
  }

  /**
   * The input.
   *
   * @param inputs files, folders or patterns of one format, or names of tables
   * @param format {@code csv}, {@code tsv}, {@code jsonl}, {@code text}, {@code table}, or a data
   *     source of Spark: {@code parquet}, {@code orc}, ...
   * @param columns names of the columns of CSV without a header line, or empty
   * @param pattern for {@code text}: a regular expression whose named groups are the columns
   * @param quotedLines whether quoted cells may have line ends; files are then read whole by a task
   * @param options of the parser or data source
   * @param computed further columns: SQL expressions by name, in order
   * @param where SQL condition for rows to be read, or null
   */
  public record Table(
      List<String> inputs,
      String format,
      List<String> columns,
      @Nullable String pattern,
      boolean quotedLines,
      Map<String, String> options,
      Map<String, String> computed,
      @Nullable String where)
      implements Serializable {
    public Table {
      inputs = List.copyOf(inputs);
      columns = List.copyOf(columns);
    }
  }
}
