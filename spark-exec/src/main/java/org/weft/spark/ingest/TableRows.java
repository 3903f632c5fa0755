package org.weft.spark.ingest;

import org.weft.spark.ingest.cell.BadCell;

/** The rows of a part of a table, one after another. Not thread-safe. */
interface TableRows {
  /** Moves to the next row; false at the end. */
  boolean next();

  /**
   * Puts the row's keys and value behind other rows.
   *
   * @throws BadCell if it cannot be used
   */
  void put(CellRows rows) throws BadCell;

  /** The row as one that cannot be used; its line is counted from the beginning of the part. */
  Reject reject(BadCell bad);

  /** Where the part starts in its file, in bytes. */
  long start();
}
