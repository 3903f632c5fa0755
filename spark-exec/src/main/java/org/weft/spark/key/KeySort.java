package org.weft.spark.key;

import java.util.List;
import java.util.stream.IntStream;
import org.weft.tensor.CooBlock;

/**
 * Rows in the order of their coordinates; rows with the same coordinates stay in the order of the
 * input. Coordinates are packed into words, the outermost mode in the highest bits, and words are
 * sorted digit by digit from the lowest (Knuth, TAOCP 3, 5.2.5). Cost {@code O(rows bits / 11)};
 * {@code 32 + 8 words} bytes a row while it works.
 */
public final class KeySort {
  public static final int MOST_ROWS = Integer.MAX_VALUE - 8;

  private static final int DIGIT = 11;
  private static final int DIGITS = 1 << DIGIT;

  private final int[] word;
  private final int[] shift;
  private final long[] mask;
  private final long[][] words;
  private final double[] values;
  private final int[] order;

  private KeySort(int modes, int rows) {
    this.word = new int[modes];
    this.shift = new int[modes];
    this.mask = new long[modes];
    this.values = new double[rows];
    this.order = IntStream.range(0, rows).toArray();
    this.words = new long[modes][];
  }

  /** Bytes a row of {@code modes} takes at most while it is sorted. */
  public static long rowBytes(int modes) {
    return 32 + 8L * Math.max(1, (modes + 1) / 2);
  }

  /**
   * Sorts rows, which are dropped from {@code blocks}.
   *
   * @param blocks whose coordinates are numbers
   * @param places by mode the coordinates of these numbers
   * @param sizes of the modes
   * @param modeOrder modes from the outermost to the innermost
   */
  public static KeySort of(List<CooBlock> blocks, int[][] places, long[] sizes, int[] modeOrder) {
    int rows = Math.toIntExact(blocks.stream().mapToLong(CooBlock::size).sum());
    KeySort sort = new KeySort(sizes.length, rows);
    int used = sort.layOut(sizes, modeOrder, rows);
    sort.fill(blocks, places);
    for (int w = used - 1; w >= 0; w--) {
      sort.sort(w);
    }
    return sort;
  }

  /**
   * Sorts rows, which are dropped from {@code blocks}, by the coordinates that they have.
   *
   * @param sizes of the modes
   * @param modeOrder modes from the outermost to the innermost
   */
  static KeySort of(List<CooBlock> blocks, long[] sizes, int[] modeOrder) {
    return of(blocks, new int[0][], sizes, modeOrder);
  }

  /** Gives every mode its bits, innermost modes first; returns the number of words. */
  private int layOut(long[] sizes, int[] modeOrder, int rows) {
    int used = 0;
    int[] free = new int[sizes.length];
    for (int at = 0; at < modeOrder.length; at++) {
      int mode = modeOrder[at];
      int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, sizes[mode] - 1)));
      if (used == 0 || free[used - 1] < bits) {
        words[used] = new long[rows];
        free[used++] = Long.SIZE - 1;
      }
      free[used - 1] -= bits;
      word[mode] = used - 1;
      shift[mode] = free[used - 1];
      mask[mode] = (1L << bits) - 1;
    }
    for (int mode : modeOrder) {
      shift[mode] -= free[word[mode]]; // the last mode of a word ends at its lowest bit
    }
    return used;
  }

  private void fill(List<CooBlock> blocks, int[][] places) {
    int from = 0;
    for (int b = 0; b < blocks.size(); b++) {
      CooBlock block = blocks.get(b);
      for (int mode = 0; mode < word.length; mode++) {
        long[] into = words[word[mode]];
        for (int row = 0; row < block.size(); row++) {
          long own = block.coordinate(mode, row);
          into[from + row] |= (places.length == 0 ? own : places[mode][(int) own]) << shift[mode];
        }
      }
      System.arraycopy(block.values(), 0, values, from, block.size());
      from += block.size();
      blocks.set(b, block.slice(0, 0));
    }
  }

  /** Sorts by one word, where rows that agree in it keep their order. */
  private void sort(int w) {
    int rows = order.length;
    long[] keys = new long[rows];
    long all = 0;
    boolean sorted = true;
    for (int at = 0; at < rows; at++) {
      keys[at] = words[w][order[at]];
      all |= keys[at];
      sorted &= at == 0 || keys[at - 1] <= keys[at];
    }
    if (sorted) {
      return;
    }
    long[] other = new long[rows];
    int[] from = order;
    int[] to = new int[rows];
    for (int low = 0; low < Long.SIZE && all >>> low != 0; low += DIGIT) {
      int[] ends = ends(keys, low);
      for (int at = 0; at < rows; at++) {
        int place = ends[(int) (keys[at] >>> low) & (DIGITS - 1)]++;
        other[place] = keys[at];
        to[place] = from[at];
      }
      long[] keysBefore = keys;
      keys = other;
      other = keysBefore;
      int[] before = from;
      from = to;
      to = before;
    }
    if (from != order) {
      System.arraycopy(from, 0, order, 0, rows);
    }
  }

  /** Where the rows of each digit begin. */
  private static int[] ends(long[] keys, int low) {
    int[] counts = new int[DIGITS];
    for (long key : keys) {
      counts[(int) (key >>> low) & (DIGITS - 1)]++;
    }
    int begin = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
      int count = counts[digit];
      counts[digit] = begin;
      begin += count;
    }
    return counts;
  }

  public int rows() {
    return order.length;
  }

  /** The coordinate of the row at {@code place} in the order. */
  public long coordinate(int place, int mode) {
    return words[word[mode]][order[place]] >>> shift[mode] & mask[mode];
  }

  public double value(int place) {
    return values[order[place]];
  }

  /** The rows one after another. */
  SortedRows inOrder() {
    return new SortedRows() {
      private int place = -1;

      @Override
      public boolean next() {
        return ++place < order.length;
      }

      @Override
      public long coordinate(int mode) {
        return KeySort.this.coordinate(place, mode);
      }

      @Override
      public double value() {
        return KeySort.this.value(place);
      }
    };
  }

  /** Whether the row at {@code place} has the coordinates of the one before. */
  public boolean repeats(int place) {
    boolean same = place > 0;
    for (int w = 0; same && w < words.length && words[w] != null; w++) {
      same = words[w][order[place]] == words[w][order[place - 1]];
    }
    return same;
  }
}
