package org.weft.planner;

import java.util.List;
import org.weft.planner.kernel.Merge;
import org.weft.planner.machine.Resources;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;

/**
 * Predicts the rows of factors that executors get from one another in an iteration.
 *
 * <p>Each of p executors has a p-th of the entries of every form and makes a p-th of the rows of
 * every mode. If a slice of h entries lies in the forms of n modes regardless of where its entries
 * lie otherwise, an executor that does not make its row needs it with probability {@code 1 - (1 -
 * 1/p)^(h n)}.
 *
 * <p>In a grid, the entries of a slice are spread over the t tiles of its layer. The row of a slice
 * of h entries concerns {@code t (1 - (1 - 1/t)^h)} of them, of which one has the row. The others
 * send what they make of it, and get the row.
 */
final class NeededRows {
  private NeededRows() {}

  /** Whether the passes make rows of one another's operands where their slices lie. */
  static boolean arePassed(List<ModePlan> modes) {
    return modes.size() > 1 && modes.stream().allMatch(pass -> pass.kernel().merge() == Merge.ROWS);
  }

  /** Bytes of the rows that one pass makes and other executors need, and of parts of rows. */
  static double bytes(List<ModePlan> modes, ModePlan pass, TensorStatistics s, Resources r) {
    ModeHistogram histogram = s.histogram(pass.mode());
    double rows =
        pass.partitioning().grid() == null
            ? rows(histogram, s.shape().size(pass.mode()), r.executors(), modes.size())
            : exchanged(histogram, pass.range(0).pieces());
    return rows * rowBytes(pass);
  }

  static double rowBytes(ModePlan pass) {
    return pass.kernel().rank() * (double) pass.kernel().tensorFormat().valueType().bytes();
  }

  /**
   * Rows of a mode that executors get from others.
   *
   * @param rows of the mode
   * @param forms of which all but one read the mode
   */
  static double rows(ModeHistogram histogram, long rows, int executors, int forms) {
    return (executors - 1) * Math.min(rows, touched(histogram, executors, forms - 1));
  }

  /** Rows and parts of rows that go from one to another of the tiles of a layer. */
  static double exchanged(ModeHistogram histogram, int tiles) {
    double rows = histogram.nonemptyBetween(0, histogram.largestCoordinate() + 1);
    return 2 * Math.max(0, tiles * touched(histogram, tiles, 1) - rows);
  }

  /** Rows that one of several has entries of, of which {@code forms} are spread alike. */
  private static double touched(ModeHistogram histogram, int among, int forms) {
    double width = histogram.bucketWidth();
    double misses = 1 - 1.0 / among;
    double[] touched = {0};
    histogram.forEachHeight(
        (height, buckets) -> {
          double entries = height / width * forms;
          touched[0] += buckets * width * (1 - Math.pow(misses, entries));
        });
    return touched[0];
  }
}
