package org.weft.decomposition.gcp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Step;

/**
 * Limited-memory BFGS over the numbers of all factors (Nocedal and Wright 2006, algorithm 7.4), as
 * functions of numbers B without a bound ({@link Substitution}). It computes the full gradient.
 * With G the gradient with respect to B:
 *
 * <pre>
 * each step:  D = -H G, with H from the latest 5 pairs (S, Y)
 *             S = alpha D, where the loss at B + S is low enough ({@link LineSearch})
 *             B = B + S,  Y = the new G - G
 * </pre>
 *
 * <p>A step adds up the products of all pairs of vectors over the rows, once. The recursion for H
 * then works on these few numbers ({@link LimitedMemory}; Chen, Wang and Zhou 2014). The factors,
 * B, gradients and 6 pairs, one of which the step at work fills, take 15 matrices of the factors'
 * size.
 *
 * <p>With {@link ZeroSamples}, each iteration searches in another sample: many steps in one lower
 * the loss there only. Pairs stay, as S and Y of each belong to one sample. An iteration after
 * which the loss outside of its sample is not the least is taken back, and three in a row are the
 * end.
 */
final class LbfgsDescent implements Descent {
  private static final int PATIENCE = 3;

  private final LossModel model;
  private final int inner;
  private final Substitution numbers;
  private final List<Rows> points;
  private final List<Rows> gradients;
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
   * @param moved S, the change of B in a step, and D before the step
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
    this.numbers = Substitution.of(model);
    this.points = model.at(start, "point");
    this.gradients = model.at(start, "gradient");
    this.search = new LineSearch(model, numbers, points);
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
        .rows("point", points)
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
    if (best.isEmpty()) {
      if (Double.isNaN(lowest)) {
        begin();
      }
      steps(number);
      return lowest;
    }
    model.sampled(
        number,
        () -> {
          ended = false;
          begin();
          steps(number);
        });
    boolean improved = best.get().improved(number);
    if (!improved) {
      best.get().restore();
      forgetPairs();
    }
    ended = !improved && best.get().latestFailures() == PATIENCE;
    return best.get().least();
  }

  private void steps(int number) {
    for (int n = 0; n < inner && !ended; n++) {
      step(number);
    }
  }

  private void forgetPairs() {
    spare.addAll(pairs);
    pairs.clear();
  }

  /** Computes loss, points and gradients of the model's factors. */
  private void begin() {
    lowest = model.loss(model.factors());
    model.requireFinite("the loss of the first factors", lowest, model.factors());
    for (int mode = 0; mode < model.order(); mode++) {
      Step place = Step.of(mode, "point of mode " + mode).rows("B", points.get(mode));
      place.rows("A", model.factors().get(mode));
      model.site().run(place.then(RowOperation.each(numbers.begin(), "B", "A")));
      Step slope = model.gradient(mode).rows("H", gradients.get(mode)).rows("B", points.get(mode));
      model.site().run(slope.then(RowOperation.each(numbers.gradient(), "H", "B", "G")));
    }
  }

  private void step(int number) {
    Pair pair = spare.removeLast();
    double slope = direction(number, pair.moved());
    if (slope == 0) { // no direction goes down, which no other search would change
      ended = true;
      spare.add(pair);
      return;
    }
    LineSearch.Found found = search.search(pair.moved(), slope, lowest);
    if (found.alpha() == 0) {
      failures++;
      ended = pairs.isEmpty();
      spare.add(pair);
      forgetPairs();
      return;
    }
    lowest = found.loss();
    model.requireFinite("the loss in iteration " + number, lowest, model.factors());
    double[] sums = accept(pair, found.alpha());
    if (sums[0] > 1e-12 * sums[1]) {
      pairs.addFirst(pair);
      if (pairs.size() > LimitedMemory.PAIRS) {
        spare.add(pairs.removeLast());
      }
    } else {
      spare.add(pair);
    }
  }

  /** Names the gradient and the pairs of a mode in a step, and lists the names. */
  private Step vectors(int mode, List<String> names) {
    Step step = Step.of(mode, "direction of mode " + mode);
    step.rows("G", gradients.get(mode));
    names.add("G");
    for (Pair pair : pairs) {
      String number = Integer.toString(names.size());
      step.rows("S" + number, pair.moved().get(mode)).rows("Y" + number, pair.turned().get(mode));
      names.addAll(List.of("S" + number, "Y" + number));
    }
    return step;
  }

  /** Computes the direction D and returns its product with the gradient. */
  private double direction(int iteration, List<Rows> directions) {
    int vectors = 1 + 2 * pairs.size();
    double[] products = new double[vectors * vectors];
    for (int mode = 0; mode < model.order(); mode++) {
      List<String> names = new ArrayList<>();
      Step step = vectors(mode, names);
      RowOperation each =
          new RowOperation.Each(LimitedMemory.PRODUCTS, names, 0, "s", products.length);
      double[] some = model.site().run(step.then(each)).get("s");
      for (int i = 0; i < products.length; i++) {
        products[i] += some[i];
      }
      model.requireFinite(
          "iteration " + iteration + ", mode " + mode + ": the sum of the gradient's squares",
          products[0],
          List.of(gradients.get(mode)));
    }
    double[] weights = LimitedMemory.weights(products, pairs.size());
    if (pairs.isEmpty()) {
      weights[0] *=
          0.1 * numbers.free(model.width()) / Math.max(Math.sqrt(products[0]), Double.MIN_NORMAL);
    }
    LimitedMemory.Combined combined = new LimitedMemory.Combined(weights);
    double slope = 0;
    for (int mode = 0; mode < model.order(); mode++) {
      List<String> names = new ArrayList<>(List.of("D"));
      Step step = vectors(mode, names).rows("D", directions.get(mode));
      RowOperation each = new RowOperation.Each(combined, names, 1, "s", 1);
      slope += model.site().run(step.then(each)).get("s")[0];
    }
    return slope;
  }

  /** Goes to the factors' point and fills the pair. Returns {@code S . Y} and {@code Y . Y}. */
  private double[] accept(Pair pair, double alpha) {
    RowOperation move =
        new RowOperation.Each(LimitedMemory.moved(alpha), List.of("S", "B"), 2, "", 0);
    RowOperation turn =
        new RowOperation.Each(
            LimitedMemory.turned(numbers), List.of("Y", "H", "S", "B", "G"), 2, "s", 2);
    double[] sums = new double[2];
    for (int mode = 0; mode < model.order(); mode++) {
      Step step =
          model
              .gradient(mode)
              .rows("Y", pair.turned().get(mode))
              .rows("H", gradients.get(mode))
              .rows("S", pair.moved().get(mode))
              .rows("B", points.get(mode));
      double[] some = model.site().run(step.then(move).then(turn)).get("s");
      sums[0] += some[0];
      sums[1] += some[1];
    }
    return sums;
  }
}
