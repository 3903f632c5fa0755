package org.weft.decomposition.gcp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Step;

/**
 * Limited-memory BFGS over all factors (Nocedal and Wright 2006, algorithm 7.4) with the full
 * gradient and a lower bound: numbers at the bound whose gradient points beyond stay, the others
 * are free (Bertsekas 1982, two-metric projection).
 *
 * <pre>
 * each step:  D = -H G over the free numbers, H from the latest 5 pairs (S, Y)
 *             T = max(lower, A + alpha D), alpha = 1 or less until
 *                 loss(T) is at most loss(A) + 1e-4 G . (T - A)
 *             S = T - A,  A = T,  Y = the new G - G
 * </pre>
 *
 * <p>What is added up over rows is the products of all pairs of vectors, once a step (Chen et al.
 * 2014): the recursion itself is on a few numbers.
 */
final class LbfgsDescent implements Descent {
  private static final int MOST_TRIALS = 20;

  private final LossModel model;
  private final int inner;
  private final List<Rows> gradients;
  private final List<Rows> directions;
  private final List<Rows> trials;
  private final Deque<Pair> pairs = new ArrayDeque<>();
  private final Deque<Pair> spare = new ArrayDeque<>();
  private double least = Double.NaN;
  private int failures;
  private boolean ended;

  /** Vectors S and Y, by mode. */
  private record Pair(List<Rows> moved, List<Rows> turned) {}

  /**
   * @param inner steps of an iteration
   */
  LbfgsDescent(LossModel model, int inner) {
    this.model = model;
    this.inner = inner;
    this.gradients = model.zeros();
    this.directions = model.zeros();
    this.trials = model.zeros();
    for (int pair = 0; pair <= LimitedMemory.PAIRS; pair++) {
      spare.add(new Pair(model.zeros(), model.zeros()));
    }
  }

  @Override
  public int failures() {
    return failures;
  }

  @Override
  public boolean ended() {
    return ended;
  }

  @Override
  public double iteration(int number) {
    if (Double.isNaN(least)) {
      least = model.loss(model.factors());
      Sweeps.requireFinite("the loss of the first factors", least);
      for (int mode = 0; mode < model.order(); mode++) {
        model.site().run(model.gradient(mode).rows("G", gradients.get(mode)));
      }
    }
    for (int n = 0; n < inner && !ended; n++) {
      step(number);
    }
    return least;
  }

  private void step(int number) {
    double slope = direction();
    double now = search(slope);
    if (Double.isNaN(now)) {
      failures++;
      ended = pairs.isEmpty();
      spare.addAll(pairs);
      pairs.clear();
      return;
    }
    least = now;
    Sweeps.requireFinite("the loss in iteration " + number, now);
    Pair pair = spare.removeLast();
    double[] sums = accept(pair);
    if (sums[0] > 1e-12 * sums[1]) {
      pairs.addFirst(pair);
      if (pairs.size() > LimitedMemory.PAIRS) {
        spare.add(pairs.removeLast());
      }
    } else {
      spare.add(pair);
    }
  }

  /** A step on the factor, the gradient and the pairs of a mode, and their names. */
  private Step vectors(int mode, List<String> names) {
    Step step = Step.of(mode, "direction of mode " + mode);
    step.rows("A", model.factors().get(mode)).rows("G", gradients.get(mode));
    names.addAll(List.of("A", "G"));
    for (Pair pair : pairs) {
      String number = Integer.toString(names.size());
      step.rows("S" + number, pair.moved().get(mode)).rows("Y" + number, pair.turned().get(mode));
      names.addAll(List.of("S" + number, "Y" + number));
    }
    return step;
  }

  /** Makes D; its product with the gradient. */
  private double direction() {
    int vectors = 1 + 2 * pairs.size();
    double[] products = new double[vectors * vectors];
    LimitedMemory.Products rule = new LimitedMemory.Products(model.lower());
    for (int mode = 0; mode < model.order(); mode++) {
      List<String> names = new ArrayList<>();
      Step step = vectors(mode, names);
      RowOperation each = new RowOperation.Each(rule, names, 0, "s", products.length);
      double[] some = model.site().run(step.then(each)).get("s");
      for (int i = 0; i < products.length; i++) {
        products[i] += some[i];
      }
    }
    double[] weights = LimitedMemory.weights(products, pairs.size());
    if (pairs.isEmpty()) {
      weights[0] *= 0.1 * model.width() / Math.max(Math.sqrt(products[0]), Double.MIN_NORMAL);
    }
    LimitedMemory.Combined combined = new LimitedMemory.Combined(weights, model.lower());
    double slope = 0;
    for (int mode = 0; mode < model.order(); mode++) {
      List<String> names = new ArrayList<>(List.of("D"));
      Step step = vectors(mode, names).rows("D", directions.get(mode));
      RowOperation each = new RowOperation.Each(combined, names, 1, "s", 1);
      slope += model.site().run(step.then(each)).get("s")[0];
    }
    return slope;
  }

  /** The loss of the trial that suffices, or NaN. */
  private double search(double slope) {
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
      if (expected < 0 && now <= least + 1e-4 * expected) {
        return now;
      }
      double fitted = -slope * alpha * alpha / (2 * (now - least - slope * alpha));
      boolean usable = fitted >= 0.1 * alpha && fitted <= 0.5 * alpha;
      alpha = usable ? fitted : Double.isFinite(now) ? 0.5 * alpha : 0.1 * alpha;
    }
    return Double.NaN;
  }

  /** Goes to the trial, and makes the pair; {@code S . Y} and {@code Y . Y}. */
  private double[] accept(Pair pair) {
    for (int mode = 0; mode < model.order(); mode++) {
      Step step =
          Step.of(mode, "step of mode " + mode)
              .rows("S", pair.moved().get(mode))
              .rows("A", model.factors().get(mode))
              .rows("T", trials.get(mode));
      RowOperation moved =
          new RowOperation.Each(LimitedMemory.MOVED, List.of("S", "A", "T"), 2, "", 0);
      model.site().run(step.then(moved));
    }
    double[] sums = new double[2];
    for (int mode = 0; mode < model.order(); mode++) {
      Step step =
          model
              .gradient(mode)
              .rows("Y", pair.turned().get(mode))
              .rows("H", gradients.get(mode))
              .rows("S", pair.moved().get(mode));
      List<String> names = List.of("Y", "H", "S", "G");
      RowOperation turned = new RowOperation.Each(LimitedMemory.TURNED, names, 2, "s", 2);
      double[] some = model.site().run(step.then(turned)).get("s");
      sums[0] += some[0];
      sums[1] += some[1];
    }
    return sums;
  }
}
