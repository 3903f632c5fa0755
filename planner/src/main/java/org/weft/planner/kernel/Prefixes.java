package org.weft.planner.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;

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
  private final Map<String, Scales> scales = new HashMap<>();
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
        key ->
            scales
                .computeIfAbsent(
                    mode + "/" + block, same -> Scales.of(statistics.histogram(mode), block))
                .classes(number, statistics.entries()));
  }

  /**
   * Blocks of slices by the logarithm of their entries.
   *
   * @param count blocks of each of {@link #MOST_CLASSES} scales
   * @param entries of all blocks of the scale
   */
  private record Scales(double[] count, double[] entries) {
    static Scales of(ModeHistogram histogram, long block) {
      Scales made = new Scales(new double[MOST_CLASSES], new double[MOST_CLASSES]);
      // A bucket wider than a block stands for several, among which its entries are spread.
      double most = Math.max(1, (double) histogram.bucketWidth() / block);
      histogram.forEachHeight(
          block,
          (inBlock, blocks) -> {
            double parts = Math.min(inBlock, most);
            double each = inBlock / parts;
            int scale = (int) Math.min(MOST_CLASSES - 1, Math.log(each) / Math.log(2) * 2);
            made.count[scale] += parts * blocks;
            made.entries[scale] += (double) inBlock * blocks;
          });
      return made;
    }

    /** {@code number} classes at most, of neighbouring scales. */
    List<Slices> classes(int number, long total) {
      List<Slices> classes = new ArrayList<>();
      for (int scale = 0; scale < MOST_CLASSES; ) {
        int at = scale * number / MOST_CLASSES;
        double blocks = 0;
        double inBlocks = 0;
        for (; scale < MOST_CLASSES && scale * number / MOST_CLASSES == at; scale++) {
          blocks += count[scale];
          inBlocks += entries[scale];
        }
        if (blocks > 0) {
          classes.add(new Slices(blocks, inBlocks / blocks / total));
        }
      }
      return classes;
    }
  }
}
