package org.weft.decomposition.count;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.tensor.ValueType;

/**
 * The nonnegative model of a {@link CpApr} run: factors with columns of sum 1, weights, and Phi. In
 * the midst of a mode's updates its factor is {@code B = A diag(lambda)}. The model is one of the
 * counts divided by {@link Site#unit}: thresholds are of numbers about 1, whatever the counts are.
 * What the statements make of the counts themselves is divided where it is read, {@link #divided}.
 */
final class CountModel {
  private static final double KAPPA = 0.01;
  private static final double KAPPA_TOLERANCE = 1e-10;

  private static final RowRule SUMS =
      (rows, sums) -> Arrays.setAll(sums, r -> sums[r] + rows[0][r]);

  /** {@code B = B * Phi}, and the sums of its columns. */
  private static final RowRule MULTIPLIED =
      (rows, sums) -> {
        Arrays.setAll(rows[0], r -> rows[0][r] * rows[1][r]);
        SUMS.apply(rows, sums);
      };

  /** Moves zeros that the last update would leave, which Phi shows. */
  private static final RowRule ADMISSIBLE =
      (rows, sums) ->
          Arrays.setAll(
              rows[0],
              r -> rows[0][r] + (rows[0][r] < KAPPA_TOLERANCE && rows[1][r] > 1 ? KAPPA : 0));

  private final Site site;
  private final int rank;
  private final double unit;
  private final CpFactors factors;
  private final List<Rows> phi = new ArrayList<>();
  private double[] lambda;

  /**
   * @param start the state to go on from; empty for random factors
   */
  CountModel(
      Site site, int rank, long seed, ValueType type, Optional<MethodState<RowSource>> start) {
    this.site = site;
    this.rank = rank;
    this.unit = site.unit();
    this.factors = CpFactors.of(start, site, rank, seed, type, mode -> (rows, sums) -> {});
    this.lambda = start.map(state -> state.numbers("lambda")).orElseGet(() -> new double[rank]);
    start.ifPresent(state -> phi.addAll(MethodState.at(site, state, "phi", type)));
    for (int mode = phi.size(); mode < site.shape().order(); mode++) {
      phi.add(site.rows(mode, rank, type));
    }
    if (start.isEmpty()) {
      for (Rows factor : factors()) {
        normalise(factor.mode(), CpFactors.columns(site, factor, SUMS));
      }
      // The first update makes the sum of lambda that of the counts; m has to be above eps before.
      Arrays.fill(lambda, Math.max(1.0, site.entries()) / rank);
    }
  }

  /**
   * What the next iteration depends on.
   *
   * @param admissible whether it moves zeros, which Phi shows
   */
  MethodState<Rows> state(boolean admissible) {
    MethodState<Rows> state = factors.state().numbers("lambda", lambda);
    return admissible ? state.rows("phi", phi) : state;
  }

  /** A rule that gets rows of one of its matrices divided by the unit. */
  RowRule divided(int matrix, RowRule rule) {
    double by = unit; // what travels is numbers
    return (rows, sums) -> {
      double[] row = rows[matrix];
      Arrays.setAll(row, n -> row[n] / by);
      rule.apply(rows, sums);
    };
  }

  /** {@code A diag(weights)}. */
  private static RowRule weighted(double[] weights) {
    return (rows, sums) -> Arrays.setAll(rows[0], r -> rows[0][r] * weights[r]);
  }

  /** How far B, given Phi, is from the conditions: numbers beyond a tolerance, sum of squares. */
  private static RowRule violation(double tolerance) {
    return (rows, sums) -> {
      for (int r = 0; r < rows[0].length; r++) {
        double violation = Math.abs(Math.min(rows[1][r], 1 - rows[0][r]));
        sums[0] += violation < tolerance ? 0 : 1;
        sums[1] += violation * violation;
      }
    };
  }

  private static RowOperation sums(RowRule rule, List<String> names, int sums) {
    return new RowOperation.Each(rule, names, 1, "s", sums);
  }

  /** A step with the factor A of a mode. */
  Step step(int mode) {
    return Step.of(mode, "cpapr, mode " + mode).rows("A", factors.of(mode));
  }

  List<Rows> factors() {
    return factors.matrices();
  }

  /** Phi of a mode, of its latest {@link #violations}. */
  Rows phi(int mode) {
    return phi.get(mode);
  }

  double[] lambda() {
    return lambda;
  }

  /** The weights for the counts as they are. */
  double[] counted() {
    return Arrays.stream(lambda).map(weight -> weight * unit).toArray();
  }

  /** Makes the factor B; zeros that an earlier Phi shows to be inadmissible move, if wanted. */
  void begin(int mode, boolean admissible) {
    Step begin = step(mode);
    if (admissible) {
      begin.rows("P", phi(mode)).then(RowOperation.each(ADMISSIBLE, "A", "P"));
    }
    site.run(begin.then(RowOperation.each(weighted(lambda), "A")));
  }

  /** Makes Phi: numbers of B beyond the tolerance, and the sum of the violations' squares. */
  double[] violations(int mode, int sweep, double tolerance) {
    Step step =
        Step.of(mode, "Phi of mode " + mode + ", iteration " + sweep)
            .product("P", mode, factors())
            .rows("P", phi(mode))
            .rows("A", factors.of(mode))
            .then(sums(divided(0, violation(tolerance)), List.of("P", "A"), 2));
    return site.run(step).get("s");
  }

  /** {@code B = B * Phi}; the sums of its columns. */
  double[] multiply(int mode) {
    return site.run(step(mode).rows("P", phi(mode)).then(sums(MULTIPLIED, List.of("A", "P"), rank)))
        .get("s");
  }

  /** Ends a mode's updates: {@code lambda = columns, A = B diag(1 / lambda)}. */
  void end(int mode, double[] columns) {
    lambda = columns.clone();
    normalise(mode, lambda);
  }

  private void normalise(int mode, double[] columns) {
    double[] weights = Arrays.stream(columns).map(sum -> sum > 0 ? 1 / sum : 0).toArray();
    site.run(step(mode).then(RowOperation.each(weighted(weights), "A")));
  }

  /**
   * {@code sum x log m - sum_r lambda_r} for the counts as they are.
   *
   * @param total the sum of the counts
   */
  double logLikelihood(int statement, double total) {
    begin(0, false);
    double logarithms = ModelError.sum(site, statement, factors());
    normalise(0, lambda);
    return logarithms + total * Math.log(unit) - Arrays.stream(counted()).sum();
  }
}
