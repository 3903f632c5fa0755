package org.weft.planner.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.statistics.ModeHistogram;
import org.weft.tensor.statistics.TensorStatistics;

/**
 * How many positions the levels of a format have: the expected number of distinct prefixes of the
 * stored coordinates if modes were independent of each other. Slices of about the same number of
 * entries form a class; a cell of classes with shares {@code p} and {@code q} of n entries is
 * occupied with probability {@code 1 - exp(-n p q)}. Modes of real tensors depend on each other, so
 * that this is an upper estimate. Cost {@code O(2^16)} for each set of modes, {@code O(buckets)}
 * for each mode.
 */
final class Prefixes {
  /** Cells of classes that are summed over at most. */
  private static final double MOST_CELLS = 1 << 16;

  private static final int MOST_CLASSES = 64;

  /** Slices, or blocks of slices, that each have about {@code share} of the entries. */
  private record Slices(double count, double share) {}

  private final TensorStatistics statistics;
  private final Map<String, List<Slices>> classes = new HashMap<>();
  private final Map<String, Double> found = new HashMap<>();

  Prefixes(TensorStatistics statistics) {
    this.statistics = statistics;
  }

  /**
   * Distinct coordinates down to each level of {@code format}, whether or not the format stores
   * them once; all of them at a dense root.
   */
  double[] of(TensorFormat format) {
    double[] distinct = new double[format.levelCount()];
    Map<Integer, Long> blocks = new HashMap<>(); // by mode; 1 for whole coordinates
    boolean dense = true;
    double cells = 1;
    for (int level = 0; level < distinct.length; level++) {
      LevelCoordinate coordinate = format.coordinate(level);
      long block = coordinate instanceof LevelCoordinate.Block b ? b.size() : 1;
      blocks.put(format.modeOf(level), block);
      dense &= format.level(level).properties().full();
      cells *= format.levelSize(statistics.shape(), level);
      distinct[level] = dense ? cells : distinct(blocks);
    }
    return distinct;
  }

  private double distinct(Map<Integer, Long> blocks) {
    if (blocks.size() == statistics.shape().order()
        && blocks.values().stream().allMatch(b -> b == 1)) {
      return statistics.entries();
    }
    return found.computeIfAbsent(
        blocks.toString(),
        key -> {
          int most = (int) Math.max(2, Math.pow(MOST_CELLS, 1.0 / blocks.size()));
          List<List<Slices>> modes = new ArrayList<>();
          blocks.forEach((mode, block) -> modes.add(classes(mode, block, most)));
          return Math.min(statistics.entries(), sum(modes, 0, 1, statistics.entries()));
        });
  }

  /**
   * @param count cells of the classes chosen so far
   * @param entries expected in each
   */
  private static double sum(List<List<Slices>> modes, int at, double count, double entries) {
    if (at == modes.size()) {
      return -count * Math.expm1(-entries);
    }
    double sum = 0;
    for (Slices slices : modes.get(at)) {
      sum += sum(modes, at + 1, count * slices.count(), entries * slices.share());
    }
    return sum;
  }

  private List<Slices> classes(int mode, long block, int most) {
    int number = Math.min(most, MOST_CLASSES);
    return classes.computeIfAbsent(
        mode + "/" + block + "/" + number,
        key -> classes(statistics.histogram(mode), block, number));
  }

  /** Blocks of slices by the logarithm of their entries, in {@code number} classes at most. */
  private static List<Slices> classes(ModeHistogram histogram, long block, int number) {
    double[] count = new double[MOST_CLASSES];
    double[] entries = new double[MOST_CLASSES];
    long width = histogram.bucketWidth();
    // A bucket wider than a block stands for several, among which its entries are spread.
    double most = Math.max(1, (double) width / block);
    ModeHistogram.HeightVisitor add =
        (inBlock, blocks) -> {
          double parts = Math.min(inBlock, most);
          double each = inBlock / parts;
          int scale = (int) Math.min(MOST_CLASSES - 1, Math.log(each) / Math.log(2) * 2);
          count[scale * number / MOST_CLASSES] += parts * blocks;
          entries[scale * number / MOST_CLASSES] += (double) inBlock * blocks;
        };
    if (block <= width) {
      histogram.forEachHeight(add);
    } else {
      long inBlock = 0;
      for (int b = 0; b < histogram.buckets(); b++) {
        inBlock += histogram.count(b);
        boolean ends = (b + 1) * width % block == 0 || b + 1 == histogram.buckets();
        if (ends && inBlock > 0) {
          add.visit(inBlock, 1);
          inBlock = 0;
        }
      }
    }
    List<Slices> made = new ArrayList<>();
    for (int c = 0; c < number; c++) {
      if (count[c] > 0) {
        made.add(new Slices(count[c], entries[c] / count[c] / histogram.total()));
      }
    }
    return made;
  }
}
