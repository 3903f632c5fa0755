package org.weft.decomposition.gcp;

import java.util.List;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Step;

/**
 * A backtracking search along a direction D with a projection on the lower bound (Nocedal and
 * Wright 2006, section 3.5). It tries {@code alpha = 1} and then less until the loss has fallen by
 * enough:
 *
 * <pre>
 * T = max(lower, A + alpha D)   with   loss(T) at most loss(A) + 1e-4 G . (T - A)
 * </pre>
 *
 * <p>The next alpha is the minimum of the parabola through the two losses and the slope, if the
 * minimum is between a tenth and a half of alpha. A trial costs one evaluation of the loss.
 */
final class LineSearch {
  private static final int MOST_TRIALS = 20;

  /** The part of the expected fall of the loss that is enough (Armijo's condition). */
  private static final double ENOUGH = 1e-4;

  private final LossModel model;
  private final List<Rows> trials;

  LineSearch(LossModel model) {
    this.model = model;
    this.trials = model.zeros();
  }

  /** The factors T of the latest trial, by mode. */
  List<Rows> trials() {
    return trials;
  }

  /**
   * Searches from the model's factors A.
   *
   * @param directions D, by mode
   * @param gradients G, by mode
   * @param slope {@code G . D}
   * @param least the loss of A
   * @return the loss of the first trial that is low enough; NaN if there is none
   */
  double loss(List<Rows> directions, List<Rows> gradients, double slope, double least) {
    double alpha = 1;
    for (int trial = 0; slope < 0 && trial < MOST_TRIALS; trial++) {
      double expected = 0;
      LimitedMemory.Trial rule = new LimitedMemory.Trial(alpha, model.lower());
      for (int mode = 0; mode < model.order(); mode++) {
        Step step =
            Step.of(mode, "trial of mode " + mode)
                .rows("T", trials.get(mode))
                .rows("A", model.factors().get(mode))
                .rows("D", directions.get(mode))
                .rows("G", gradients.get(mode))
                .then(new RowOperation.Each(rule, List.of("T", "A", "D", "G"), 1, "s", 1));
        expected += model.site().run(step).get("s")[0];
      }
      double now = model.loss(trials);
      if (expected < 0 && now <= least + ENOUGH * expected) {
        return now;
      }
      double fitted = -slope * alpha * alpha / (2 * (now - least - slope * alpha));
      boolean usable = fitted >= 0.1 * alpha && fitted <= 0.5 * alpha;
      alpha = usable ? fitted : Double.isFinite(now) ? 0.5 * alpha : 0.1 * alpha;
    }
    return Double.NaN;
  }
}
