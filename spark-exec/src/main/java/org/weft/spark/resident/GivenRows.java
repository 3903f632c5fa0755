package org.weft.spark.resident;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.entries.Shared;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.tensor.ValueType;

/**
 * The rows that a decomposition starts from: those of a matrix, which every process reads for the
 * ranges that it needs.
 *
 * @param original from the rows' numbers to those of the matrix; null where they are the same
 */
public record GivenRows(RowSource matrix, int mode, @Nullable Shared<Relabelling> original)
    implements FactorSource {
  /** Rows between two wanted ones that are read, too, instead of looking for the second. */
  private static final int MOST_SKIPPED = 1 << 10;

  @Override
  public long copy(long from, long to, int columns, ValueType type, long address) {
    long rowBytes = (long) columns * type.bytes();
    if (original == null) {
      matrix.forEach(
          from,
          to,
          (row, values) -> SeededRows.put(values, type, address + (row - from) * rowBytes));
    } else {
      copyMoved(original.value().mode(mode), from, to, type, rowBytes, address);
    }
    return 0;
  }

  /** Reads the matrix in its order, in runs of rows that are near to one another. */
  private void copyMoved(
      Permutation old, long from, long to, ValueType type, long rowBytes, long address) {
    long[] wanted = new long[Math.toIntExact(to - from)]; // row of the matrix above, place below
    for (int place = 0; place < wanted.length; place++) {
      wanted[place] = old.apply(from + place) << 32 | place;
    }
    Arrays.sort(wanted);
    for (int at = 0; at < wanted.length; ) {
      int end = at + 1;
      while (end < wanted.length
          && (wanted[end] >>> 32) - (wanted[end - 1] >>> 32) <= MOST_SKIPPED) {
        end++;
      }
      int[] next = {at};
      matrix.forEach(
          wanted[at] >>> 32,
          (wanted[end - 1] >>> 32) + 1,
          (row, values) -> {
            if (wanted[next[0]] >>> 32 == row) {
              long place = (int) wanted[next[0]++];
              SeededRows.put(values, type, address + place * rowBytes);
            }
          });
      at = end;
    }
  }
}
