package org.weft.spark.ingest;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Backend;
import org.weft.spark.ingest.line.LineCursor;
import org.weft.spark.ingest.line.Place;
import org.weft.spark.ingest.line.SplitLines;
import org.weft.spark.ingest.line.TextInput;
import org.weft.spark.ingest.record.CsvCells;
import org.weft.spark.ingest.record.JsonCells;
import org.weft.spark.ingest.record.RecordCells;
import org.weft.storage.file.FileAccess;

/**
 * A table that is read without Spark's reader: separated values under plain names, or JSON lines,
 * without SQL and without options of Spark's reader but the separator.
 */
record PlainTable(TextInput input, Layout layout, List<FileSplit> splits) {
  /**
   * How the files are laid out.
   *
   * @param separator between cells; 0: a record is a JSON object
   * @param quote joins lines while a cell in these quotes is open; 0: lines are records
   * @param header the first line of every file; null if files have none
   */
  record Layout(char separator, char quote, @Nullable String header, List<String> columns)
      implements Serializable {
    /** Takes records apart. */
    RecordCells cells() {
      return separator == 0 ? new JsonCells(columns) : new CsvCells(separator, columns.size());
    }
  }

  /**
   * Opens the table of a job, and reads the first line; empty if the table is one for Spark.
   *
   * @param named columns that the job names, which are all that is read of JSON lines
   * @throws org.weft.error.WeftException {@code INPUT_NOT_FOUND}, {@code MALFORMED_INPUT} for files
   *     without lines
   */
  static Optional<PlainTable> open(FileAccess files, IngestJob.Table table, Set<String> named) {
    boolean json = table.format().equals("jsonl") && table.options().isEmpty();
    char separator = json ? 0 : separator(table);
    if ((separator == 0 && !json) || table.where() != null || !table.computed().isEmpty()) {
      return Optional.empty();
    }
    TextInput input = new TextInput(files, table.inputs(), table.quotedLines());
    List<FileSplit> splits = input.splits(Backend.SPLIT_BYTES);
    char quote = table.quotedLines() && !json ? '"' : 0;
    String header = null;
    List<String> columns = table.columns();
    if (json) {
      if (first(input, splits, cursor -> cursor).isEmpty()) {
        throw TableSource.empty(table);
      }
      columns = List.copyOf(named);
    } else if (columns.isEmpty()) {
      header = first(input, splits, LineCursor::names).orElseThrow(() -> TableSource.empty(table));
      columns = names(header, separator);
    }
    return columns.isEmpty() || columns.stream().anyMatch(Place::isPlace)
        ? Optional.empty()
        : Optional.of(
            new PlainTable(
                input, new Layout(separator, quote, header, List.copyOf(columns)), splits));
  }

  List<String> columns() {
    return layout.columns();
  }

  /** The character between cells; 0 if options ask for what only Spark does. */
  private static char separator(IngestJob.Table table) {
    String usual =
        switch (table.format()) {
          case "csv" -> ",";
          case "tsv" -> "\t";
          default -> "";
        };
    Map<String, String> options = table.options();
    if (usual.isEmpty() || !Set.of("sep").containsAll(options.keySet())) {
      return 0;
    }
    String asked = options.getOrDefault("sep", usual);
    asked = asked.equals("\\t") ? "\t" : asked;
    boolean plain = asked.length() == 1 && asked.charAt(0) < 128 && !"\"\\\0".contains(asked);
    return plain ? asked.charAt(0) : 0;
  }

  /** What is read of the first record. */
  private static <T> Optional<T> first(
      TextInput input, List<FileSplit> splits, Function<LineCursor, T> reading) {
    for (FileSplit split : splits) {
      try (SplitLines lines = new SplitLines(input, split)) {
        LineCursor cursor = new LineCursor(split, lines, null, (char) 0);
        if (cursor.next()) {
          return Optional.of(reading.apply(cursor));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * The names in a header; none if they need what Spark does about quotes, gaps and repetitions.
   */
  private static List<String> names(String header, char separator) {
    List<String> names = new ArrayList<>();
    Set<String> different = new HashSet<>();
    for (String name : header.split(java.util.regex.Pattern.quote("" + separator), -1)) {
      names.add(name);
      different.add(name.toLowerCase(Locale.ROOT));
    }
    boolean plain = header.indexOf('"') < 0 && header.indexOf(0) < 0 && !different.contains("");
    return plain && different.size() == names.size() ? names : List.of();
  }
}
