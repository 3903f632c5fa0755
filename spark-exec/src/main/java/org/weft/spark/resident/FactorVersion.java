package org.weft.spark.resident;

import java.io.Serializable;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * A factor as one update left it. Small: a handle that travels with tasks.
 *
 * @param number counts the updates of this factor
 * @param columns R
 * @param starts the ranges of rows that are stored together: the first row of each, ascending, and
 *     the number of rows
 */
@SuppressWarnings("ArrayRecordComponent")
public record FactorVersion(
    int mode, long number, int columns, ValueType type, long[] starts, FactorSource source)
    implements Serializable {

  /** Rows of the factor. */
  public long rows() {
    return starts[starts.length - 1];
  }

  /** Ranges of rows. */
  public int ranges() {
    return starts.length - 1;
  }

  /** The range that a row is in. */
  public int rangeOf(long row) {
    return StoredRows.rangeOf(starts, row);
  }

  /** Copies rows {@code [from, to)} to memory; returns those that came from another process. */
  public long copy(long from, long to, long address) {
    return from == to ? 0 : source.copy(from, to, columns, type, address);
  }

  /** Rows {@code [from, to)}, row-major: few. */
  public double[] rows(long from, long to) {
    double[] values = new double[Math.toIntExact((to - from) * columns)];
    try (MemoryScope scope = MemoryScope.root("rows of a factor", MemorySource.system())) {
      TensorShape shape = TensorShape.of(to - from, columns);
      NativeArray read = TensorStorage.dense(scope, shape, type).vals();
      copy(from, to, read.address());
      for (int i = 0; i < values.length; i++) {
        values[i] = read.getDouble(i);
      }
    }
    return values;
  }
}
