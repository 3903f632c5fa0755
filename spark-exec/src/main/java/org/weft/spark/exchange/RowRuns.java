package org.weft.spark.exchange;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.weft.runtime.PackedRows;

/** Some rows in ascending order, as runs of neighbours. Takes 8 bytes a run, and 2 when sent. */
public final class RowRuns {
  private static final int LONGEST_NUMBER = 5;

  private int[] firsts = new int[8];
  private int[] lengths = new int[8];
  private int runs;
  private int rows;

  /** What is done with a run. */
  @FunctionalInterface
  public interface Use {
    /**
     * Uses rows {@code [first, first + count)}.
     *
     * @param before rows of the runs before this one
     */
    void run(int first, int count, int before);
  }

  /** Adds a run after those that are here. */
  public void add(int first, int count) {
    if (runs > 0 && first == firsts[runs - 1] + lengths[runs - 1]) {
      lengths[runs - 1] += count;
    } else {
      if (runs == firsts.length) {
        firsts = Arrays.copyOf(firsts, 2 * runs);
        lengths = Arrays.copyOf(lengths, 2 * runs);
      }
      firsts[runs] = first;
      lengths[runs++] = count;
    }
    rows += count;
  }

  /** Rows of all runs. */
  public int rows() {
    return rows;
  }

  /** The row after the last one. */
  public int end() {
    return runs == 0 ? 0 : firsts[runs - 1] + lengths[runs - 1];
  }

  /** Packs the rows of the runs, from row 0's address to another one. */
  public void gather(int rowBytes, long rows, long packed) {
    PackedRows.gather(firsts, lengths, runs, rowBytes, rows, packed);
  }

  /**
   * Puts the next bytes of the packed rows where they belong.
   *
   * @param begun what the call before this one returned; 0 at the beginning
   */
  public long scatter(int rowBytes, long rows, long packed, long bytes, long begun) {
    return PackedRows.scatter(firsts, lengths, runs, rowBytes, rows, packed, bytes, begun);
  }

  /** Whether {@link #scatter} has put all rows where they belong when it returns this. */
  public boolean isAll(long done) {
    return done == (long) runs << Integer.SIZE;
  }

  /** Goes through the runs in their order. */
  public void forEach(Use use) {
    int before = 0;
    for (int run = 0; run < runs; run++) {
      use.run(firsts[run], lengths[run], before);
      before += lengths[run];
    }
  }

  /** Most bytes that {@link #writeTo} writes. */
  public int mostBytes() {
    return LONGEST_NUMBER * (1 + 2 * runs);
  }

  /** Writes gaps and lengths in groups of 7 bits. */
  public void writeTo(ByteBuffer out) {
    write(runs, out);
    int end = 0;
    for (int run = 0; run < runs; run++) {
      write(firsts[run] - end, out);
      write(lengths[run], out);
      end = firsts[run] + lengths[run];
    }
  }

  /**
   * Reads what {@link #writeTo} wrote.
   *
   * @throws IllegalStateException if this is no list of runs in ascending order, or no whole one
   */
  public static RowRuns readFrom(ByteBuffer in) {
    RowRuns read = new RowRuns();
    long runs = number(in);
    long end = 0;
    for (long run = 0; run < runs; run++) {
      long first = end + number(in);
      long count = number(in);
      end = first + count;
      if (end > Integer.MAX_VALUE) {
        throw new IllegalStateException(
            "expected rows below 2^31-1, found " + count + " from row " + first);
      }
      read.add((int) first, (int) count);
    }
    return read;
  }

  private static void write(int number, ByteBuffer out) {
    int left = number;
    while (left > 0x7f) {
      out.put((byte) (left | 0x80));
      left >>>= 7;
    }
    out.put((byte) left);
  }

  /** From 0 to 2^35-1, which is more than a number of rows and is seen as such. */
  private static long number(ByteBuffer in) {
    long number = 0;
    for (int bytes = 0; bytes < LONGEST_NUMBER; bytes++) {
      if (!in.hasRemaining()) {
        throw new IllegalStateException("expected more numbers of rows, found the end");
      }
      byte next = in.get();
      number |= (next & 0x7fL) << 7 * bytes;
      if (next >= 0) {
        return number;
      }
    }
    throw new IllegalStateException(
        "expected a number of at most " + LONGEST_NUMBER + " bytes, found a longer one");
  }
}
