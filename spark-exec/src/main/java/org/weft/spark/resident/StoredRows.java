package org.weft.spark.resident;

import java.util.Arrays;
import org.weft.memory.NativeMemory;
import org.weft.tensor.ValueType;

/**
 * Rows that tasks have made and put into Spark's block store, range by range. Rows that several
 * tasks had a part in were finished by the driver and travel with this.
 *
 * @param space number that the blocks' names begin with
 * @param starts first row of each range, ascending, and the number of rows
 * @param finished for each range the rows that the driver finished, row-major, or null
 */
@SuppressWarnings("ArrayRecordComponent")
public record StoredRows(long space, long[] starts, double[][] finished) implements FactorSource {
  /** For a range that a task has stored. */
  public static final double[] IN_STORE = {};

  @Override
  public long copy(long from, long to, int columns, ValueType type, long address) {
    long fetched = 0;
    long rowBytes = (long) columns * type.bytes();
    for (int range = rangeOf(starts, from); range < finished.length; range++) {
      long first = Math.max(from, starts[range]);
      long last = Math.min(to, starts[range + 1]);
      if (first >= last) {
        break;
      }
      long target = address + (first - from) * rowBytes;
      long skipped = first - starts[range];
      if (finished[range].length > 0) {
        put(finished[range], skipped * columns, (last - first) * columns, type, target);
      } else if (FactorBlocks.read(space, range, skipped, last - first, rowBytes, target)) {
        fetched += last - first;
      }
    }
    return fetched;
  }

  /** The range that a row is in. */
  static int rangeOf(long[] starts, long row) {
    int found = Arrays.binarySearch(starts, row);
    return found >= 0 ? found : -found - 2;
  }

  private static void put(double[] rows, long from, long count, ValueType type, long address) {
    for (int i = 0; i < count; i++) {
      double value = rows[(int) from + i];
      if (type == ValueType.FLOAT) {
        NativeMemory.putFloat(address + (long) i * Float.BYTES, (float) value);
      } else {
        NativeMemory.putDouble(address + (long) i * Double.BYTES, value);
      }
    }
  }
}
