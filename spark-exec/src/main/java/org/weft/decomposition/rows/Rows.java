package org.weft.decomposition.rows;

import org.weft.tensor.ValueType;

/**
 * A dense matrix with a row for each slice of a mode, wherever its parts lie: off the heap of this
 * process, or with the executors. A {@link Site} makes it, and {@link Step}s read it and replace
 * its rows. Closing frees them.
 */
public interface Rows extends AutoCloseable {
  int mode();

  /** Rows: the size of the mode. */
  long count();

  /** Numbers in a row. */
  int columns();

  ValueType type();

  @Override
  void close();
}
