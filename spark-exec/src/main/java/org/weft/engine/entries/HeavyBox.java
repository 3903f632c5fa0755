package org.weft.engine.entries;

import java.util.List;
import java.util.stream.IntStream;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * The part of a tensor in the slices of each mode that have the highest scores: a tensor of its
 * own.
 *
 * @param modes by mode
 */
public record HeavyBox(List<HeavySlices> modes) {
  public HeavyBox {
    modes = List.copyOf(modes);
  }

  /**
   * A box of about a share of the entries, were modes independent of each other: with N modes that
   * are cut, their slices hold {@code share^(1/N)} of the entries. Mostly it has more, as heavy
   * slices meet.
   *
   * @param scores of the buckets of each mode's histogram
   * @param least slices of a mode; a mode without more is not cut
   */
  public static HeavyBox of(
      TensorStatistics statistics, List<double[]> scores, double share, long least, long seed) {
    int order = statistics.shape().order();
    long cut =
        IntStream.range(0, order).filter(mode -> statistics.shape().size(mode) > least).count();
    double held = Math.pow(share, 1.0 / Math.max(1, cut));
    return new HeavyBox(
        IntStream.range(0, order)
            .mapToObj(
                mode -> {
                  ModeHistogram counts = statistics.histogram(mode);
                  boolean whole = statistics.shape().size(mode) <= least;
                  return HeavySlices.of(
                      counts, scores.get(mode), whole ? 1 : held, least, seed + mode);
                })
            .toList());
  }

  /** Whether a slice that has entries is not in it. */
  public boolean isPart(TensorStatistics statistics) {
    return IntStream.range(0, modes.size())
        .anyMatch(mode -> modes.get(mode).isPart(statistics.histogram(mode)));
  }

  public TensorShape shape() {
    return TensorShape.of(modes.stream().mapToLong(HeavySlices::size).toArray());
  }

  /** What makes its entries of those of the tensor, under coordinates of the box. */
  public EntryBlocks.OfBlock<CooBlock> entries() {
    HeavySlices[] kept = modes.toArray(HeavySlices[]::new);
    return block -> inside(block, kept);
  }

  private static CooBlock inside(CooBlock block, HeavySlices[] kept) {
    CooBlock.Builder inside = new CooBlock.Builder(kept.length, block.size() / 8);
    for (int e = 0; e < block.size(); e++) {
      int mode = 0;
      for (; mode < kept.length; mode++) {
        long number = kept[mode].number(block.coordinate(mode, e));
        if (number < 0) {
          break;
        }
        inside.set(mode, number);
      }
      if (mode == kept.length) {
        inside.finish(block.value(e));
      }
    }
    return inside.build();
  }
}
