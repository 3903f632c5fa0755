package org.weft.spark.ingest;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.jspecify.annotations.Nullable;
import org.weft.spark.ingest.cell.ShortDecimal;
import org.weft.spark.ingest.record.RecordCells;

/** The rows of one split of a plain table. A row is valid until the next. */
final class PlainRows implements Iterator<TableRow>, TableRow {
  private final String file;
  private final long start;
  private final LineCursor cursor;
  private final RecordCells cells;
  private final int[] columns;
  private final int modes;
  private @Nullable String problem;
  private boolean ready;

  /**
   * @param lines of the split, each valid until the next
   * @param columns of the modes, then that of the value if there is one
   */
  PlainRows(
      FileSplit split, Iterator<Text> lines, PlainTable.Layout layout, int[] columns, int modes) {
    this.file = TextInput.name(split);
    this.start = split.getStart();
    this.cursor = new LineCursor(split, lines, layout.header(), layout.quote());
    this.cells = layout.cells();
    this.columns = columns;
    this.modes = modes;
  }

  @Override
  public boolean hasNext() {
    ready = ready || cursor.next();
    return ready;
  }

  @Override
  public TableRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    ready = false;
    problem = cells.read(cursor.text()) ? null : cells.expected();
    return this;
  }

  @Override
  public @Nullable String problem() {
    return problem;
  }

  /** Text; short decimal numbers of the value, which are exact, as numbers. */
  @Override
  public Object cell(int number) {
    int cell = columns[number];
    double exact =
        number < modes
            ? Double.NaN
            : ShortDecimal.parse(cells.bytes(), cells.start(cell), cells.end(cell));
    return Double.isNaN(exact) ? cells.string(cell) : exact;
  }

  @Override
  public String file() {
    return file;
  }

  @Override
  public Long start() {
    return start;
  }

  @Override
  public Long line() {
    return cursor.number();
  }

  @Override
  public String text() {
    return cursor.text().toString();
  }
}
