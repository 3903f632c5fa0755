package org.weft.decomposition.gcp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Step;

/**
 * Limited-memory BFGS over the numbers of all factors (Nocedal and Wright 2006, algorithm 7.4). It
 * computes the full gradient and respects a lower bound: numbers at the bound whose gradient points
 * beyond the bound stay, and only the other numbers are free (two-metric projection, Bertsekas
 * 1982). With G the gradient:
 *
 * <pre>
 * each step:  D = -H G over the free numbers, with H from the latest 5 pairs (S, Y)
 *             T = a point along D whose loss is low enough ({@link LineSearch})
 *             S = T - A,  A = T,  Y = the new G - G
 * </pre>
 *
 * <p>A step adds up the products of all pairs of vectors over the rows, once. The recursion for H
 * then works on these few numbers ({@link LimitedMemory}; Chen, Wang and Zhou 2014). The factors,
 * gradients, directions, trials and 6 pairs take 16 matrices of the factors' size.
 *
 * <p>With {@link ZeroSamples}, all iterations search in one sample, as their pairs belong together.
 * The model has the factors of the iteration whose loss outside of the sample is least. Three
 * iterations after it the search ends: it learns the sample only.
 */
final class LbfgsDescent implements Descent {
  private static final int PATIENCE = 3;

  private final LossModel model;
  private final int inner;
  private final List<Rows> gradients;
  private final List<Rows> directions;
  private final LineSearch search;
  private final Deque<Pair> pairs = new ArrayDeque<>();
  private final Deque<Pair> spare = new ArrayDeque<>();
  private final Optional<BestFactors> best;
  private double lowest = Double.NaN;
  private int failures;
  private boolean ended;

  /**
   * A pair of the method's memory. Each vector has a matrix for each mode.
   *
   * @param moved S, the change of the factors in a step
   * @param turned Y, the change of the gradient in this step
   */
  private record Pair(List<Rows> moved, List<Rows> turned) {}

  /**
   * Begins at the model's factors.
   *
   * @param inner number of steps of an iteration
   * @param start the state to go on from, with the factors
   */
  LbfgsDescent(LossModel model, int inner, Optional<MethodState<RowSource>> start) {
    this.model = model;
    this.inner = inner;
    this.gradients = model.at(start, "gradient");
    this.directions = model.zeros();
    this.search = new LineSearch(model);
    this.best = model.isSampled() ? Optional.of(new BestFactors(model, start)) : Optional.empty();
    start.ifPresent(this::restore);
    while (pairs.size() + spare.size() <= LimitedMemory.PAIRS) {
      spare.add(new Pair(model.zeros(), model.zeros()));
    }
  }

  private void restore(MethodState<RowSource> state) {
    lowest = state.number("lowest");
    failures = (int) state.number("searches");
    ended = state.number("ended") > 0;
    Optional<MethodState<RowSource>> saved = Optional.of(state);
    for (int pair = 0; pair < state.number("pairs"); pair++) {
      pairs.addLast(new Pair(model.at(saved, moved(pair)), model.at(saved, turned(pair))));
    }
  }

  private static String moved(int pair) {
    return "moved" + pair + "_";
  }

  private static String turned(int pair) {
    return "turned" + pair + "_";
  }

  @Override
  public MethodState<Rows> save(MethodState<Rows> state) {
    best.ifPresent(judged -> judged.save(state));
    int number = 0;
    for (Pair pair : pairs) {
      state.rows(moved(number), pair.moved()).rows(turned(number), pair.turned());
      number++;
    }
    return state
        .rows("gradient", gradients)
        .numbers("pairs", pairs.size())
        .numbers("lowest", lowest)
        .numbers("searches", failures)
        .numbers("ended", ended ? 1 : 0);
  }

  @Override
  public int failures() {
    return failures + best.map(BestFactors::failures).orElse(0);
  }

  @Override
  public boolean ended() {
    return ended;
  }

  @Override
  public double iteration(int number) {
    if (Double.isNaN(lowest)) {
      lowest = model.loss(model.factors());
      Sweeps.requireFinite("the loss of the first factors", lowest);
      for (int mode = 0; mode < model.order(); mode++) {
        model.gradient(mode, gradients.get(mode));
      }
    }
    for (int n = 0; n < inner && !ended; n++) {
      step(number);
    }
    if (best.isEmpty()) {
      return lowest;
    }
    ended |= !best.get().improved(number) && best.get().latestFailures() == PATIENCE;
    return best.get().least();
  }

  @Override
  public void finish() {
    best.ifPresent(BestFactors::restore);
  }

  private void step(int number) {
    double slope = direction(number);
    double now = search.loss(directions, gradients, slope, lowest);
    if (Double.isNaN(now)) {
      failures++;
      ended = pairs.isEmpty();
      spare.addAll(pairs);
      pairs.clear();
      return;
    }
    lowest = now;
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

  /** Names the factor, the gradient and the pairs of a mode in a step, and lists the names. */
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

  /** Computes the direction D and returns its product with the gradient. */
  private double direction(int iteration) {
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
      Sweeps.requireFinite(
          "iteration " + iteration + ", mode " + mode + ": the sum of the gradient's squares",
          products[0],
          model.site(),
          List.of(gradients.get(mode)));
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

  /** Goes to the trial and fills the pair. Returns {@code S . Y} and {@code Y . Y}. */
  private double[] accept(Pair pair) {
    for (int mode = 0; mode < model.order(); mode++) {
      Step step =
          Step.of(mode, "step of mode " + mode)
              .rows("S", pair.moved().get(mode))
              .rows("A", model.factors().get(mode))
              .rows("T", search.trials().get(mode));
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
