package org.weft.spark.ingest.record;

import java.nio.charset.StandardCharsets;
import org.apache.hadoop.io.Text;
import org.weft.spark.ingest.cell.BadCell;

/** The cells of a record, in UTF-8, until the next record is read. Not thread-safe. */
public abstract class RecordCells {
  final int columns;
  final int[] starts;
  final int[] ends;

  /** What all cells are in. */
  byte[] text = new byte[64];

  RecordCells(int columns) {
    this.columns = columns;
    this.starts = new int[columns];
    this.ends = new int[columns];
  }

  /** Takes a record apart, which is a reject if it is none of this table. */
  public abstract void read(Text record) throws BadCell;

  /** The bytes that all cells are in. */
  public final byte[] bytes() {
    return text;
  }

  /** Where a cell begins in the bytes. */
  public final int start(int cell) {
    return starts[cell];
  }

  /** Where a cell ends in the bytes. */
  public final int end(int cell) {
    return ends[cell];
  }

  /** Whether the cell is empty or has nothing but blanks. */
  public final boolean isBlank(int cell) {
    int start = start(cell);
    return start == end(cell)
        || bytes()[start] <= ' ' && string(cell).isBlank(); // < 0 if not ASCII
  }

  public final String string(int cell) {
    return new String(bytes(), start(cell), end(cell) - start(cell), StandardCharsets.UTF_8);
  }
}
