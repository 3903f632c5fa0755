package org.weft.spark.resident;

import java.io.Serializable;
import org.weft.tensor.ValueType;

/** Where the rows of one version of a factor come from. */
public sealed interface FactorSource extends Serializable
    permits SeededRows, GivenRows, StoredRows {
  /**
   * Copies rows {@code [from, to)} to memory, row-major.
   *
   * @param columns of a row
   * @param address of the first value
   * @return rows that came from another process
   * @throws FactorLost if no process has them any more
   */
  long copy(long from, long to, int columns, ValueType type, long address);
}
