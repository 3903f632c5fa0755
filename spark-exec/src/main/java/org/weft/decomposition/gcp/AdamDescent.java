package org.weft.decomposition.gcp;

import java.util.List;
import java.util.Optional;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Step;

/**
 * Adam (Kingma and Ba 2015, algorithm 1), as Kolda and Hong 2020 use it:
 *
 * <pre>
 * each step, each mode n:  B = 0.9 B + 0.1 G,  C = 0.999 C + 0.001 G * G
 *                          A = max(lower, A - rate B / (1 - 0.9^t) / sqrt(C / (1 - 0.999^t)))
 * after so many steps:     a greater loss restores A, begins B and C anew, rate = rate / 10
 * </pre>
 */
final class AdamDescent implements Descent {
  private static final double DECAY = 0.1;
  private static final int MOST_FAILURES = 3;

  private final LossModel model;
  private final int inner;
  private final BestFactors best;
  private final List<Rows> gradients;
  private final List<Rows> first;
  private final List<Rows> second;
  private double rate;
  private int steps;

  /**
   * @param inner steps of an iteration
   * @param rate length of a step, relative to the numbers of the initial factors
   * @param start the state to go on from, with the factors
   */
  AdamDescent(LossModel model, int inner, double rate, Optional<MethodState<RowSource>> start) {
    this.model = model;
    this.inner = inner;
    this.rate = rate * model.width();
    this.best = new BestFactors(model, start);
    this.gradients = model.zeros();
    this.first = model.at(start, "first");
    this.second = model.at(start, "second");
    start.ifPresent(
        state -> {
          this.rate = state.number("rate");
          steps = (int) state.number("steps");
        });
  }

  /** After an iteration, those factors are kept that the model has. */
  @Override
  public MethodState<Rows> save(MethodState<Rows> state) {
    return best.save(state)
        .rows("first", first)
        .rows("second", second)
        .numbers("rate", rate)
        .numbers("steps", steps);
  }

  /**
   * A step for a row.
   *
   * @param first what the first moment is divided by
   * @param second what the second moment is divided by
   */
  private record Adam(double rate, double first, double second, double lower) implements RowRule {
    /** Of A, then of the moments, then of the gradient; the sum of the second moments. */
    @Override
    public void apply(double[][] rows, double[] sums) {
      for (int r = 0; r < rows[0].length; r++) {
        double slope = rows[3][r];
        rows[1][r] = 0.9 * rows[1][r] + 0.1 * slope;
        rows[2][r] = 0.999 * rows[2][r] + 0.001 * slope * slope;
        double root = Math.sqrt(rows[2][r] / second) + Double.MIN_NORMAL;
        rows[0][r] = Math.max(lower, rows[0][r] - rate * rows[1][r] / first / root);
        sums[0] += rows[2][r];
      }
    }
  }

  @Override
  public int failures() {
    return best.failures();
  }

  @Override
  public boolean ended() {
    return best.failures() >= MOST_FAILURES;
  }

  @Override
  public double iteration(int number) {
    model.sampled(
        number,
        () -> {
          for (int n = 0; n < inner; n++) {
            step(number);
          }
        });
    if (!best.improved(number)) {
      best.restore();
      forgetMoments();
      rate *= DECAY;
    }
    return best.least();
  }

  private void forgetMoments() {
    steps = 0;
    first.forEach(rows -> CpFactors.clear(model.site(), rows));
    second.forEach(rows -> CpFactors.clear(model.site(), rows));
  }

  private void step(int iteration) {
    steps++;
    for (int mode = 0; mode < model.order(); mode++) {
      model.gradient(mode, gradients.get(mode));
    }
    double firsts = 1 - Math.pow(0.9, steps);
    Adam adam = new Adam(rate, firsts, 1 - Math.pow(0.999, steps), model.lower());
    for (int mode = 0; mode < model.order(); mode++) {
      Step step =
          Step.of(mode, "step of mode " + mode)
              .rows("A", model.factors().get(mode))
              .rows("B", first.get(mode))
              .rows("C", second.get(mode))
              .rows("G", gradients.get(mode))
              .then(new RowOperation.Each(adam, List.of("A", "B", "C", "G"), 3, "s", 1));
      model.requireFinite(
          "iteration " + iteration + ", mode " + mode + ": the sum of the gradient's squares",
          model.site().run(step).get("s")[0],
          List.of(gradients.get(mode)));
    }
  }
}
