package org.weft.spark.ingest.record;

import java.nio.charset.StandardCharsets;
import org.apache.hadoop.io.Text;

/** The cells of a record, in UTF-8, until the next record is read. Not thread-safe. */
public interface RecordCells {
  /** Takes a record apart; false if it is none of this table. */
  boolean read(Text record);

  /** What is expected of a record. */
  String expected();

  /** The bytes that all cells are in. */
  byte[] bytes();

  /** Where a cell begins in the bytes. */
  int start(int cell);

  /** Where a cell ends in the bytes. */
  int end(int cell);

  /** Whether the cell is empty or has nothing but blanks. */
  default boolean isBlank(int cell) {
    int start = start(cell);
    return start == end(cell)
        || bytes()[start] <= ' ' && string(cell).isBlank(); // < 0 if not ASCII
  }

  default String string(int cell) {
    return new String(bytes(), start(cell), end(cell) - start(cell), StandardCharsets.UTF_8);
  }
}
