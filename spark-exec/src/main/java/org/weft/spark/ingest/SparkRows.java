package org.weft.spark.ingest;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.Cells;
import org.weft.spark.ingest.line.Place;
import org.weft.spark.ingest.line.TextInput;

/**
 * Rows of a table of Spark: the columns of the modes, that of the value if there is one, and those
 * of {@link Place}.
 */
final class SparkRows implements TableRows {
  private final Iterator<Row> rows;
  private final List<ModeSpec> modes;
  private final @Nullable String value;
  private final CellRules rules;
  private final String source;
  private Row row = RowFactory.create();

  SparkRows(IngestJob job, Iterator<Row> rows) {
    this.rows = rows;
    this.modes = job.modes();
    this.value = job.value();
    this.rules = new CellRules(job);
    this.source = job.source();
  }

  @Override
  public boolean next() {
    try {
      boolean more = rows.hasNext();
      if (more) {
        row = rows.next();
      }
      return more;
    } catch (IndexOutOfBoundsException | NegativeArraySizeException e) {
      // Spark decodes some cells only as rows are made, and then does not say which file is
      // damaged.
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          source
              + ": expected whole files of their format, found damage ("
              + e.getMessage()
              + "); write or copy the files again",
          e);
    }
  }

  @Override
  public void put(CellRows into) throws BadCell {
    String problem = text(Place.PROBLEM);
    if (problem != null) {
      throw new BadCell("", problem);
    }
    int order = modes.size();
    for (int mode = 0; mode < order; mode++) {
      into.key(mode, rules.key(modes.get(mode), row.get(mode)));
    }
    into.end(value == null ? 1.0 : rules.value(value, row.get(order)));
  }

  private @Nullable String text(String column) {
    return row.getString(row.fieldIndex(column));
  }

  private @Nullable Long number(String column) {
    return (Long) row.get(row.fieldIndex(column));
  }

  @Override
  public Reject reject(BadCell bad) {
    String file = text(Place.FILE);
    String record = text(Place.TEXT);
    return new Reject(
        file == null ? null : TextInput.name(file),
        number(Place.LINE),
        bad.column(),
        bad.reason(),
        found(bad.column()),
        Reject.shortened(record == null ? used() : record));
  }

  @Override
  public long start() {
    Long start = number(Place.START);
    return start == null ? 0 : start;
  }

  private String column(int number) {
    return number < modes.size() ? modes.get(number).column() : String.valueOf(value);
  }

  private int columns() {
    return modes.size() + (value == null ? 0 : 1);
  }

  private @Nullable String found(String column) {
    for (int c = 0; c < columns(); c++) {
      if (column.equals(column(c))) {
        Object cell = row.get(c);
        return cell == null || Cells.isMissing(cell) ? null : BadCell.shown(cell);
      }
    }
    return null;
  }

  /** The cells that the job reads, for sources without a text of their own. */
  private String used() {
    StringBuilder text = new StringBuilder();
    for (int c = 0; c < columns(); c++) {
      text.append(c == 0 ? "" : ", ").append(column(c)).append('=').append(row.get(c));
    }
    return text.toString();
  }
}
