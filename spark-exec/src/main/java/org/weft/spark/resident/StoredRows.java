package org.weft.spark.resident;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.spark.exchange.Question;
import org.weft.spark.exchange.RowPlace;
import org.weft.spark.exchange.RowRuns;
import org.weft.tensor.ValueType;

/**
 * Rows that tasks have made and stored where they ran, range by range.
 *
 * @param space number that the blocks' names begin with
 * @param starts first row of each range, ascending, and the number of rows
 * @param places where each range is
 * @param nonzero whether rows of zeros may be left out: memory that others are copied to is zero
 */
@SuppressWarnings("ArrayRecordComponent")
public record StoredRows(long space, long[] starts, RowPlace[] places, boolean nonzero)
    implements FactorSource {
  /** The place of each range. */
  public Map<Integer, RowPlace> byRange() {
    return IntStream.range(0, places.length)
        .boxed()
        .collect(Collectors.toMap(range -> range, range -> places[range]));
  }

  @Override
  public long copy(long from, long to, int columns, ValueType type, long address) {
    Copy copy = new Copy(columns * type.bytes(), address - from * columns * type.bytes());
    for (int range = rangeOf(starts, from); range < places.length && starts[range] < to; range++) {
      copy.rows(
          range, isHere(range), Math.max(from, starts[range]), Math.min(to, starts[range + 1]));
    }
    return copy.finish();
  }

  @Override
  public long copy(BitSet needed, long unit, int columns, ValueType type, long address) {
    Copy copy = new Copy(columns * type.bytes(), address);
    int own = IntStream.range(0, places.length).filter(this::isHere).findFirst().orElse(0);
    for (int turn = 0; turn < places.length; turn++) {
      int range = (own + turn) % places.length; // else all processes ask the first one at once
      long first = starts[range];
      long end = starts[range + 1];
      int at = needed.nextSetBit((int) (first / unit));
      boolean here = isHere(range); // not for each run: there are as many as rows
      if (at >= 0 && at * unit < end && here) {
        copy.rows(range, true, first, end);
        needed.set((int) ((first + unit - 1) / unit), (int) (end / unit));
        continue;
      }
      while (at >= 0 && at * unit < end) {
        int last = needed.nextClearBit(at);
        copy.rows(range, here, Math.max(first, at * unit), Math.min(end, last * unit));
        at = needed.nextSetBit(last);
      }
    }
    return copy.finish();
  }

  private boolean isHere(int range) {
    return FactorBlocks.here().equals(places[range]); // none for a part without rows
  }

  /** Copies what is here, and collects the questions for what is not. */
  private final class Copy {
    private final int rowBytes;
    private final long blockRows;
    private final int answerRows;
    private final long address;
    private final List<Question> questions = new ArrayList<>();
    private long fetched;
    private int openRange = -1;
    private long openBlock = -1;
    private RowRuns open = new RowRuns();

    /**
     * @param address of row 0, were it there
     */
    Copy(int rowBytes, long address) {
      this.rowBytes = rowBytes;
      this.blockRows = FactorBlocks.blockRows(rowBytes);
      this.answerRows = Math.max(1, FactorBlocks.ANSWER_BYTES / Math.max(1, rowBytes));
      this.address = address;
    }

    /** Rows of a range, after those before them. */
    void rows(int range, boolean here, long from, long to) {
      long count = to - from;
      long skipped = from - starts[range];
      long target = address + from * rowBytes;
      if (count <= 0) {
        return;
      }
      if (here) {
        FactorBlocks.read(space, range, skipped, count, rowBytes, target);
      } else {
        need(range, skipped, skipped + count);
        fetched += count;
      }
    }

    private void need(int range, long from, long to) {
      for (long row = from; row < to; ) {
        long block = row / blockRows;
        if (range != openRange || block != openBlock || open.rows() >= answerRows) {
          close();
          openRange = range;
          openBlock = block;
        }
        long more = Math.min((block + 1) * blockRows - row, answerRows - open.rows());
        long end = Math.min(to, row + more);
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
                nonzero,
                rowBytes,
                address + first * rowBytes));
        open = new RowRuns();
      }
    }

    long finish() {
      close();
      ReceivedBytes.add(FactorBlocks.ask(questions));
      return fetched;
    }
  }

  /** The range that a row is in. */
  static int rangeOf(long[] starts, long row) {
    int found = Arrays.binarySearch(starts, row);
    return found >= 0 ? found : -found - 2;
  }
}
