package org.weft.spark.ingest;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.jspecify.annotations.Nullable;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.ShortDecimal;
import org.weft.spark.ingest.line.LineCursor;
import org.weft.spark.ingest.line.TextInput;
import org.weft.spark.ingest.record.RecordCells;

/** The rows of one split of a plain table. */
final class PlainRows implements TableRows {
  private final FileSplit split;
  private final LineCursor cursor;
  private final RecordCells cells;
  private final List<String> names;
  private final List<ModeSpec> modes;
  private final int[] columns;
  private final int valueColumn;
  private final String valueName;
  private final CellRules rules;

  /**
   * @param lines of the split, each valid until the next
   */
  PlainRows(IngestJob job, PlainTable.Layout layout, FileSplit split, Iterator<Text> lines) {
    this.split = split;
    this.cursor = new LineCursor(split, lines, layout.header(), layout.quote());
    this.cells = layout.cells();
    this.names = layout.columns();
    this.modes = job.modes();
    this.columns = modes.stream().mapToInt(mode -> names.indexOf(mode.column())).toArray();
    this.valueName = job.value() == null ? "" : job.value();
    this.valueColumn = job.value() == null ? -1 : names.indexOf(valueName);
    this.rules = new CellRules(job);
  }

  @Override
  public boolean next() {
    return cursor.next();
  }

  /** Lines so far. */
  long lines() {
    return cursor.lines();
  }

  @Override
  public void put(CellRows rows) throws BadCell {
    cells.read(cursor.text());
    for (int mode = 0; mode < columns.length; mode++) {
      int cell = columns[mode];
      if (cells.isBlank(cell)) {
        byte[] missing = ((String) rules.missing(modes.get(mode))).getBytes(StandardCharsets.UTF_8);
        rows.cell(mode, missing, 0, missing.length);
      } else {
        rows.cell(mode, cells.bytes(), cells.start(cell), cells.end(cell));
      }
    }
    rows.end(valueColumn < 0 ? 1.0 : value());
  }

  /** The value; short decimal numbers are exact doubles divided by exact powers of ten. */
  private double value() throws BadCell {
    double exact =
        ShortDecimal.parse(cells.bytes(), cells.start(valueColumn), cells.end(valueColumn));
    return Double.isNaN(exact) ? rules.value(valueName, cells.string(valueColumn)) : exact;
  }

  @Override
  public Reject reject(BadCell bad) {
    return new Reject(
        TextInput.name(split),
        cursor.number(),
        bad.column(),
        bad.reason(),
        found(bad.column()),
        Reject.shortened(cursor.text().toString()));
  }

  private @Nullable String found(String column) {
    int cell = column.isEmpty() ? -1 : names.indexOf(column);
    return cell < 0 || cells.isBlank(cell) ? null : BadCell.shown(cells.string(cell));
  }

  @Override
  public long start() {
    return split.getStart();
  }
}
