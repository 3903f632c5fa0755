package org.weft.spark.resident;

import java.io.Serializable;
import java.util.BitSet;
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
  private static final long UNITS = 1 << 30;

  /** Rows of the factor. */
  public long rows() {
    return starts[starts.length - 1];
  }

  /** Ranges of rows. */
  public int ranges() {
    return starts.length - 1;
  }

  /** Neighbouring rows that are needed together or not at all: one, but for a huge factor. */
  public long unit() {
    return 1 + rows() / UNITS;
  }

  /** How many there are of {@link #unit}. */
  public int units() {
    return Math.toIntExact((rows() + unit() - 1) / unit());
  }

  /** The units that rows {@code [from, to)} are in. */
  public BitSet unitsOf(long from, long to) {
    BitSet units = new BitSet();
    if (from < to) {
      units.set((int) (from / unit()), (int) ((to - 1) / unit()) + 1);
    }
    return units;
  }

  /** Copies rows {@code [from, to)} to memory; returns those that came from another process. */
  public long copy(long from, long to, long address) {
    return from == to ? 0 : source.copy(from, to, columns, type, address);
  }

  /** Copies the rows of some units to their places; returns those from another process. */
  long copy(BitSet units, long address) {
    return units.isEmpty() ? 0 : source.copy(units, unit(), columns, type, address);
  }

  /** Rows {@code [from, to)}, row-major: few. */
  public double[] rows(long from, long to) {
    double[] values = new double[Math.toIntExact((to - from) * columns)];
    try (MemoryScope scope = MemoryScope.root("rows of a factor", MemorySource.system())) {
      TensorShape shape = TensorShape.of(to - from, columns);
      NativeArray read = TensorStorage.dense(scope, shape, type).vals();
      copy(from, to, read.address());
      read.getDoubles(0, values, 0, values.length);
    }
    return values;
  }
}
