package org.weft.spark.resident;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.weft.memory.NativeMemory;
import org.weft.spark.exchange.Question;
import org.weft.spark.exchange.RowPlace;
import org.weft.spark.exchange.RowRuns;
import org.weft.tensor.ValueType;

/**
 * Rows that tasks have made and stored where they ran, range by range. Rows that several tasks had
 * a part in were finished by the driver and travel with this.
 *
 * @param space number that the blocks' names begin with
 * @param starts first row of each range, ascending, and the number of rows
 * @param places where each range is; one that the driver finished is anywhere
 * @param finished for each range the rows that the driver finished, row-major, or none
 */
@SuppressWarnings("ArrayRecordComponent")
public record StoredRows(long space, long[] starts, RowPlace[] places, double[][] finished)
    implements FactorSource {
  /** For a range that a task has stored. */
  public static final double[] IN_STORE = {};

  @Override
  public long copy(long from, long to, int columns, ValueType type, long address) {
    Copy copy = new Copy(columns, type, address - from * columns * type.bytes());
    for (int range = rangeOf(starts, from);
        range < finished.length && starts[range] < to;
        range++) {
      copy.rows(range, Math.max(from, starts[range]), Math.min(to, starts[range + 1]));
    }
    return copy.finish();
  }

  @Override
  public long copy(BitSet needed, long unit, int columns, ValueType type, long address) {
    Copy copy = new Copy(columns, type, address);
    for (int range = 0; range < finished.length; range++) {
      long first = starts[range];
      long end = starts[range + 1];
      int at = needed.nextSetBit((int) (first / unit));
      if (at >= 0 && at * unit < end && isHere(range)) {
        copy.rows(range, first, end);
        needed.set((int) ((first + unit - 1) / unit), (int) (end / unit));
        continue;
      }
      while (at >= 0 && at * unit < end) {
        int last = needed.nextClearBit(at);
        copy.rows(range, Math.max(first, at * unit), Math.min(end, last * unit));
        at = needed.nextSetBit(last);
      }
    }
    return copy.finish();
  }

  private boolean isHere(int range) {
    return finished[range].length > 0 || places[range].equals(FactorBlocks.here());
  }

  /** Copies what is here, and collects the questions for what is not. */
  private final class Copy {
    private final int columns;
    private final ValueType type;
    private final int rowBytes;
    private final long blockRows;
    private final long address;
    private final List<Question> questions = new ArrayList<>();
    private long fetched;
    private int openRange = -1;
    private long openBlock = -1;
    private RowRuns open = new RowRuns();

    /**
     * @param address of row 0, were it there
     */
    Copy(int columns, ValueType type, long address) {
      this.columns = columns;
      this.type = type;
      this.rowBytes = columns * type.bytes();
      this.blockRows = FactorBlocks.blockRows(rowBytes);
      this.address = address;
    }

    /** Rows of a range, after those before them. */
    void rows(int range, long from, long to) {
      long count = to - from;
      long skipped = from - starts[range];
      long target = address + from * rowBytes;
      if (count <= 0) {
        return;
      }
      if (finished[range].length > 0) {
        put(finished[range], skipped * columns, count * columns, type, target);
      } else if (isHere(range)) {
        FactorBlocks.read(space, range, skipped, count, rowBytes, target);
      } else {
        need(range, skipped, skipped + count);
        fetched += count;
      }
    }

    private void need(int range, long from, long to) {
      for (long row = from; row < to; ) {
        long block = row / blockRows;
        long end = Math.min(to, (block + 1) * blockRows);
        if (range != openRange || block != openBlock) {
          close();
          openRange = range;
          openBlock = block;
        }
        open.add((int) (row - block * blockRows), (int) (end - row));
        row = end;
      }
    }

    private void close() {
      if (open.rows() > 0) {
        long first = starts[openRange] + openBlock * blockRows;
        questions.add(
            FactorBlocks.question(
                places[openRange],
                space,
                openRange,
                openBlock,
                open,
                rowBytes,
                address + first * rowBytes));
        open = new RowRuns();
      }
    }

    long finish() {
      close();
      FactorBlocks.ask(questions);
      return fetched;
    }
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
