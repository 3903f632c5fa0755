package org.weft.spark.ingest;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import org.weft.spark.ingest.cell.BadCell;

/**
 * A row that cannot be used.
 *
 * @param file that it is in, or null
 * @param line in the file, from 1, or null
 * @param column whose cell is wrong; empty: the line as a whole
 * @param found the cell as messages show it, or null
 * @param record the text of the row
 */
record Reject(
    @Nullable String file,
    @Nullable Long line,
    String column,
    String reason,
    @Nullable String found,
    String record) {
  /** The order in which rejects are listed. */
  static final Comparator<Reject> ORDER =
      Comparator.comparing(Reject::file, Comparator.nullsFirst(Comparator.naturalOrder()))
          .thenComparing(Reject::line, Comparator.nullsFirst(Comparator.naturalOrder()));

  static final String HEADER = "file,line,column,reason,record\n";
  private static final int MOST_RECORD_CHARACTERS = 1 << 16;

  /** The text of a row, not longer than a file of rejects has it. */
  static String shortened(String record) {
    return record.length() <= MOST_RECORD_CHARACTERS
        ? record
        : record.substring(0, MOST_RECORD_CHARACTERS);
  }

  /** This one, whose lines are counted from the line after {@code lines}. */
  Reject after(long lines) {
    return new Reject(file, line == null ? null : line + lines, column, reason, found, record);
  }

  /** Place, reason, what was found. */
  String message() {
    StringBuilder text = new StringBuilder();
    if (file != null) {
      text.append(file).append(line == null ? "" : ":" + line).append(": ");
    }
    if (!column.isEmpty()) {
      text.append("column ").append(column).append(": ");
    }
    text.append(reason);
    if (found != null) {
      text.append(", found ").append(found);
    } else if (column.isEmpty()) {
      text.append(", found ").append(BadCell.shown(record));
    }
    return text.toString();
  }

  /** Whether the row as a whole is wrong, and has a quote that it does not close. */
  boolean opensQuotes() {
    return column.isEmpty() && record.chars().filter(c -> c == '"').count() % 2 == 1;
  }

  /** A line of the file of rejects, after {@link #HEADER}. */
  String csv() {
    String why = reason + (found == null ? "" : ", found " + found);
    return quoted(file)
        + ","
        + (line == null ? "" : line)
        + ","
        + quoted(column)
        + ","
        + quoted(why)
        + ","
        + quoted(record)
        + "\n";
  }

  private static String quoted(@Nullable String cell) {
    if (cell == null) {
      return "";
    }
    boolean plain = cell.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? cell : '"' + cell.replace("\"", "\"\"") + '"';
  }
}
