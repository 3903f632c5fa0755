package org.weft.spark.key;

/** Rows in the order of their coordinates, one after another. */
public interface SortedRows {
  /** Moves to the next row; false at the end. */
  boolean next();

  /** The row's coordinate. */
  long coordinate(int mode);

  /** The row's value. */
  double value();
}
