package org.weft.engine.entries;

import java.util.stream.IntStream;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Adds zeros to entries: cells drawn at random, from a seed and the coordinates of an entry, so
 * that the sample is the same wherever entries lie. A cell that has an entry keeps its value, as
 * values of the same cell are added up.
 */
public final class SampledZeros {
  private SampledZeros() {}

  /**
   * What makes entries and zeros.
   *
   * @param each zeros for each entry
   */
  public static EntryBlocks.OfBlock<CooBlock> among(TensorShape shape, int each, long seed) {
    long[] sizes = shape.toArray();
    return block -> sampled(block, sizes, each, seed);
  }

  /**
   * The same for one of many samples.
   *
   * @param sample counts from 0, which is what the seed alone makes
   */
  public static EntryBlocks.OfBlock<CooBlock> among(
      TensorShape shape, int each, long seed, int sample) {
    return among(shape, each, sample == 0 ? seed : HashedSplit.mixed(seed ^ (long) sample << 32));
  }

  private static CooBlock sampled(CooBlock block, long[] sizes, int each, long seed) {
    CooBlock.Builder all =
        new CooBlock.Builder(sizes.length, Math.multiplyExact(block.size(), each + 1));
    long[] at = new long[sizes.length];
    for (int e = 0; e < block.size(); e++) {
      int entry = e;
      long[] own =
          IntStream.range(0, sizes.length)
              .mapToLong(mode -> block.coordinate(mode, entry))
              .toArray();
      all.add(own, block.value(e));
      long state = HashedSplit.hash(block, e, seed);
      for (int zero = 0; zero < each; zero++) {
        for (int mode = 0; mode < sizes.length; mode++) {
          state = HashedSplit.mixed(state + 0x9E3779B97F4A7C15L);
          at[mode] = (long) (HashedSplit.number(state) * sizes[mode]);
        }
        all.add(at.clone(), 0);
      }
    }
    return all.build();
  }

  /** All cells of a small tensor as zeros. */
  public static CooBlock all(TensorShape shape) {
    long cells = 1;
    for (int mode = 0; mode < shape.order(); mode++) {
      cells = Math.multiplyExact(cells, shape.size(mode));
    }
    CooBlock.Builder all = new CooBlock.Builder(shape.order(), Math.toIntExact(cells));
    for (long cell = 0; cell < cells; cell++) {
      long rest = cell;
      long[] at = new long[shape.order()];
      for (int mode = shape.order() - 1; mode >= 0; mode--) {
        at[mode] = rest % shape.size(mode);
        rest /= shape.size(mode);
      }
      all.add(at, 0);
    }
    return all.build();
  }

  /**
   * By what a zero of the sample is multiplied to stand for the others: the expected number of
   * different cells that so many draws reach is {@code cells (1 - (1 - 1 / cells)^draws)}.
   */
  public static double weight(TensorShape shape, long draws) {
    double cells = 1;
    for (int mode = 0; mode < shape.order(); mode++) {
      cells *= shape.size(mode);
    }
    return -1 / Math.expm1(draws * Math.log1p(-1 / Math.max(cells, 2)));
  }
}
