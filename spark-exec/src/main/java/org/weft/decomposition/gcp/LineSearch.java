package org.weft.decomposition.gcp;

import java.util.List;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Step;

/**
 * A backtracking search along a direction D (Nocedal and Wright 2006, section 3.5). It tries {@code
 * alpha = 1} and then less until the loss has fallen by enough:
 *
 * <pre>
 * A = the factors at B + alpha D   with   loss(A) at most loss before + 1e-4 alpha G . D
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
  private final Substitution numbers;
  private final List<Rows> points;

  /**
   * The end of a search. Where no loss is low enough, alpha is 0 and the factors are those of
   * before.
   *
   * @param loss at alpha
   */
  record Found(double alpha, double loss) {}

  /**
   * A search for factors of a model.
   *
   * @param points B, by mode
   */
  LineSearch(LossModel model, Substitution numbers, List<Rows> points) {
    this.model = model;
    this.numbers = numbers;
    this.points = points;
  }

  /**
   * Searches from the points and gives the model the factors that it finds.
   *
   * @param directions D, by mode
   * @param slope {@code G . D}
   * @param least the loss before
   */
  Found search(List<Rows> directions, double slope, double least) {
    double alpha = 1;
    for (int trial = 0; slope < 0 && trial < MOST_TRIALS; trial++) {
      place(directions, alpha);
      double now = model.loss(model.factors());
      if (now <= least + ENOUGH * alpha * slope) {
        return new Found(alpha, now);
      }
      double fitted = -slope * alpha * alpha / (2 * (now - least - slope * alpha));
      boolean usable = fitted >= 0.1 * alpha && fitted <= 0.5 * alpha;
      alpha = usable ? fitted : Double.isFinite(now) ? 0.5 * alpha : 0.1 * alpha;
    }
    place(directions, 0);
    return new Found(0, least);
  }

  private void place(List<Rows> directions, double alpha) {
    for (int mode = 0; mode < model.order(); mode++) {
      Step step =
          Step.of(mode, "trial of mode " + mode)
              .rows("A", model.factors().get(mode))
              .rows("B", points.get(mode))
              .rows("D", directions.get(mode));
      model.site().run(step.then(RowOperation.each(numbers.trial(alpha), "A", "B", "D")));
    }
  }
}
