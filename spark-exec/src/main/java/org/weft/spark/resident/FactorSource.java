package org.weft.spark.resident;

import java.io.Serializable;
import java.util.BitSet;
import org.weft.tensor.ValueType;

/** Where the rows of one version of a factor come from. */
public sealed interface FactorSource extends Serializable permits GivenRows, StoredRows {
  /**
   * Copies rows {@code [from, to)} to memory, row-major.
   *
   * @param columns of a row
   * @param address of the first value
   * @return rows that came from elsewhere: from another process, or from a file
   * @throws FactorLost if no process has them any more
   */
  long copy(long from, long to, int columns, ValueType type, long address);

  /**
   * Copies the rows that are needed to their places in a matrix, and maybe their neighbours.
   *
   * @param needed a bit for each {@code unit} rows; gets those of neighbours that were copied
   * @param address of row 0
   * @return rows that came from elsewhere: from another process, or from a file
   * @throws FactorLost if no process has them any more
   */
  default long copy(BitSet needed, long unit, int columns, ValueType type, long address) {
    long fetched = 0;
    int at = needed.nextSetBit(0);
    while (at >= 0) {
      int end = needed.nextClearBit(at);
      long from = at * unit;
      fetched += copy(from, end * unit, columns, type, address + from * columns * type.bytes());
      at = needed.nextSetBit(end);
    }
    return fetched;
  }
}
