package org.weft.jobs.generate;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage.EntryVisitor;

/**
 * Draws exactly the model's number of distinct entries, sorted.
 *
 * <p>The index space is cut in two along the outermost mode that is longer than 1, and the entries
 * are shared out in proportion to the halves' probability, never more than a half has cells; and so
 * on, until a region holds few enough entries ({@value #REGION}) to draw them at once, discarding
 * repeats. Where probability would put more entries than cells, the surplus moves to the nearest
 * cells outside. The last cell is always an entry, so that a reader that takes mode sizes from the
 * largest coordinates finds the model's.
 *
 * <p>Values are uniform multiples of 0.01 in (0, 10]. Memory: one region, 2 to 4 MB, and the
 * recursion ({@code log2(cells)} frames). Cost {@code O(nnz log REGION)}.
 */
public final class SkewedTensor {
  static final int REGION = 1 << 16;
  private static final int CHUNK = 1 << 10; // keys that a thread draws at a time
  private static final double MOST_CELLS = 0x1p62; // keys of a region are longs

  private final TensorShape shape;
  private final PowerLaw[] laws;
  private final RandomGenerator random;
  private final EntryVisitor sink;
  private final long[] from;
  private final long[] to;
  private final long[] entry;

  private SkewedTensor(SyntheticModel model, long seed, EntryVisitor sink) {
    this.shape = model.sizes();
    this.laws = model.exponents().stream().map(PowerLaw::new).toArray(PowerLaw[]::new);
    this.random = random(seed);
    this.sink = sink;
    this.from = new long[shape.order()];
    this.to = shape.toArray();
    this.entry = new long[shape.order()];
  }

  /** Xoshiro256++ (Blackman and Vigna 2021), which every JDK from 17 computes alike. */
  static RandomGenerator random(long seed) {
    return RandomGeneratorFactory.of("Xoshiro256PlusPlus").create(seed);
  }

  /** Passes every entry of {@code model} to {@code sink}; the coordinate array is reused. */
  public static void generate(SyntheticModel model, long seed, EntryVisitor sink) {
    new SkewedTensor(model, seed, sink).region(model.nonzeros(), true);
  }

  /** Draws {@code count} entries in [from, to); {@code corner}: its last cell is the tensor's. */
  private void region(long count, boolean corner) {
    if (count == 0) {
      return;
    }
    double cells = cells();
    if (count <= REGION && count <= cells / 2 && cells <= MOST_CELLS && draw((int) count, corner)) {
      return;
    }
    int mode = outermost();
    if (mode < 0) {
      for (int m = 0; m < entry.length; m++) {
        entry[m] = from[m];
      }
      visit();
      return;
    }
    halves(mode, count, corner);
  }

  private void halves(int mode, long count, boolean corner) {
    long low = from[mode];
    long high = to[mode];
    long middle = (low + high) >>> 1;
    double slice = cells() / (high - low);
    double share = laws[mode].mass(low, middle) / laws[mode].mass(low, high);
    long left = (long) (count * share + random.nextDouble());
    long most = (long) Math.min(slice * (middle - low), Long.MAX_VALUE >> 1);
    double rightCells = slice * (high - middle);
    long least = rightCells >= count ? 0 : count - (long) rightCells;
    left = Math.max(least, Math.min(left, Math.min(most, corner ? count - 1 : count)));
    to[mode] = middle;
    region(left, false);
    to[mode] = high;
    from[mode] = middle;
    region(count - left, corner);
    from[mode] = low;
  }

  private double cells() {
    double cells = 1;
    for (int m = 0; m < from.length; m++) {
      cells *= to[m] - from[m];
    }
    return cells;
  }

  private int outermost() {
    for (int m = 0; m < from.length; m++) {
      if (to[m] - from[m] > 1) {
        return m;
      }
    }
    return -1;
  }

  /** Draws {@code count} distinct cells and passes them on; false if more than half are repeats. */
  private boolean draw(int count, boolean corner) {
    long[] keys = new long[count];
    int distinct = 0;
    if (corner) {
      keys[distinct++] = lastKey();
    }
    PowerLaw.Range[] ranges = new PowerLaw.Range[laws.length];
    for (int m = 0; m < laws.length; m++) {
      ranges[m] = laws[m].range(from[m], to[m]);
    }
    while (distinct < count) {
      int drawn = count - distinct;
      drawKeys(ranges, keys, distinct);
      Arrays.parallelSort(keys, distinct, count);
      int before = distinct;
      distinct = merge(keys, distinct);
      if (2 * (distinct - before) < drawn) {
        return false;
      }
    }
    for (long key : keys) {
      long rest = key;
      for (int m = from.length - 1; m >= 0; m--) {
        long size = to[m] - from[m];
        entry[m] = from[m] + rest % size;
        rest /= size;
      }
      visit();
    }
    return true;
  }

  private long lastKey() {
    long cells = 1;
    for (int m = 0; m < from.length; m++) {
      cells *= to[m] - from[m];
    }
    return cells - 1;
  }

  /** Draws the keys from {@code first} on. Random numbers have one order, whatever the threads. */
  private void drawKeys(PowerLaw.Range[] ranges, long[] keys, int first) {
    double[] drawn = new double[(keys.length - first) * ranges.length];
    for (int d = 0; d < drawn.length; d++) {
      drawn[d] = random.nextDouble();
    }
    int chunks = (keys.length - first + CHUNK - 1) / CHUNK;
    IntStream.range(0, chunks)
        .parallel()
        .forEach(
            chunk -> {
              int end = Math.min(keys.length, first + (chunk + 1) * CHUNK);
              int next = chunk * CHUNK * ranges.length;
              for (int i = first + chunk * CHUNK; i < end; i++) {
                long key = 0;
                for (PowerLaw.Range range : ranges) {
                  key = key * range.size() + range.quantile(drawn[next++]);
                }
                keys[i] = key;
              }
            });
  }

  /**
   * Puts the different keys of {@code keys}, sorted, to its beginning; returns how many they are.
   *
   * @param first keys that are sorted and different; the keys behind them are sorted
   */
  private static int merge(long[] keys, int first) {
    long[] before = Arrays.copyOf(keys, first);
    int kept = 0;
    int old = 0;
    for (int next = first; next < keys.length || old < first; ) {
      boolean fresh = old == first || next < keys.length && keys[next] < before[old];
      long key = fresh ? keys[next++] : before[old++];
      if (kept == 0 || key != keys[kept - 1]) {
        keys[kept++] = key;
      }
    }
    return kept;
  }

  private void visit() {
    sink.visit(entry, (1 + random.nextInt(1000)) / 100.0);
  }
}
