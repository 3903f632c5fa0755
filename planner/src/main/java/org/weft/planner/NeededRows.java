package org.weft.planner;

import java.util.List;
import org.weft.planner.kernel.Merge;
import org.weft.planner.machine.Resources;
import org.weft.tensor.statistics.ModeHistogram;
import org.weft.tensor.statistics.TensorStatistics;

/**
 * Predicts the rows of factors that executors get from one another in an iteration. Each of p
 * executors has a p-th of the entries of every form and makes a p-th of the rows of every mode. If
 * a slice of h entries lies in the forms of n modes regardless of where its entries lie otherwise,
 * an executor that does not make its row needs it with probability {@code 1 - (1 - 1/p)^(h n)}.
 */
final class NeededRows {
  private NeededRows() {}

  /** Whether the passes make rows of one another's operands where their slices lie. */
  static boolean arePassed(List<ModePlan> modes) {
    return modes.size() > 1 && modes.stream().allMatch(pass -> pass.kernel().merge() == Merge.ROWS);
  }

  /** Bytes of the rows that one pass makes and other executors need. */
  static double bytes(List<ModePlan> modes, ModePlan pass, TensorStatistics s, Resources r) {
    double rowBytes =
        pass.kernel().rank() * (double) pass.kernel().tensorFormat().valueType().bytes();
    return rows(s.histogram(pass.mode()), s.shape().size(pass.mode()), r.executors(), modes.size())
        * rowBytes;
  }

  /**
   * Rows of a mode that executors get from others.
   *
   * @param rows of the mode
   * @param forms of which all but one read the mode
   */
  static double rows(ModeHistogram histogram, long rows, int executors, int forms) {
    double width = histogram.bucketWidth();
    double misses = 1 - 1.0 / executors;
    double[] needed = {0};
    histogram.forEachHeight(
        (height, buckets) -> {
          double entries = height / width * (forms - 1);
          needed[0] += buckets * width * (1 - Math.pow(misses, entries));
        });
    return (executors - 1) * Math.min(rows, needed[0]);
  }
}
