package org.weft.spark.resident;

import java.util.BitSet;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.entries.Shared;
import org.weft.memory.NativeMemory;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.tensor.ValueType;

/**
 * The rows of a matrix that was there before the job: every process reads or makes those that it
 * needs.
 *
 * @param original from the rows' numbers to those of the matrix; null where they are the same
 */
public record GivenRows(RowSource matrix, int mode, @Nullable Shared<Relabelling> original)
    implements FactorSource {

  @Override
  public long copy(long from, long to, int columns, ValueType type, long address) {
    Target target = new Target(columns, type, address - from * columns * type.bytes());
    if (original == null) {
      matrix.forEach(from, to, target::put);
    } else {
      copyMoved(original.value().mode(mode), LongStream.range(from, to), target);
    }
    return to - from;
  }

  @Override
  public long copy(BitSet needed, long unit, int columns, ValueType type, long address) {
    Target target = new Target(columns, type, address);
    if (original == null) {
      return copyRuns(needed, unit, target);
    }
    long count = matrix.rows();
    LongStream places =
        needed.stream()
            .mapToLong(at -> at)
            .flatMap(at -> LongStream.range(at * unit, Math.min(count, (at + 1) * unit)));
    return copyMoved(original.value().mode(mode), places, target);
  }

  /** Reads runs of rows, and with them what lies between runs that are near to one another. */
  private long copyRuns(BitSet needed, long unit, Target target) {
    long rows = 0;
    int at = needed.nextSetBit(0);
    while (at >= 0) {
      int end = needed.nextClearBit(at);
      int next = needed.nextSetBit(end);
      while (next >= 0 && (next - end) * unit <= matrix.gapRows()) {
        needed.set(end, next);
        end = needed.nextClearBit(next);
        next = needed.nextSetBit(end);
      }
      long to = Math.min(matrix.rows(), end * unit);
      matrix.forEach(at * unit, to, target::put);
      rows += to - at * unit;
      at = next;
    }
    return rows;
  }

  /** Reads the matrix in its order, in runs of rows that are near to one another. */
  private long copyMoved(Permutation old, LongStream places, Target target) {
    long[] wanted = // row of the matrix above, place below
        places.map(place -> old.apply(place) << 32 | place).sorted().toArray();
    for (int at = 0; at < wanted.length; ) {
      int end = at + 1;
      while (end < wanted.length
          && (wanted[end] >>> 32) - (wanted[end - 1] >>> 32) <= 1 + matrix.gapRows()) {
        end++;
      }
      int[] next = {at};
      matrix.forEach(
          wanted[at] >>> 32,
          (wanted[end - 1] >>> 32) + 1,
          (row, values) -> {
            if (next[0] < wanted.length && wanted[next[0]] >>> 32 == row) {
              target.put((int) wanted[next[0]++], values);
            }
          });
      at = end;
    }
    return wanted.length;
  }

  /**
   * Memory for rows.
   *
   * @param address of row 0, were it there
   */
  private record Target(int columns, ValueType type, long address) {
    void put(long row, double[] values) {
      long at = address + row * columns * type.bytes();
      if (type == ValueType.FLOAT) {
        for (int r = 0; r < columns; r++) {
          NativeMemory.putFloat(at + (long) r * Float.BYTES, (float) values[r]);
        }
      } else {
        NativeMemory.copyFromArray(values, 0, at, columns);
      }
    }
  }
}
