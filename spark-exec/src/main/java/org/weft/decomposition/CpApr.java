package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * CP decomposition of counts by alternating Poisson regression with multiplicative updates (Chi and
 * Kolda 2012, algorithms 1 to 3): the nonnegative model M under which {@code X ~ Poisson(M)} is
 * most likely. The likelihood is that of all cells, the zeros too.
 *
 * <pre>
 * for each mode n:  B = A_n diag(lambda), zeros that the last update would leave moved by kappa
 *   at most so many times:  Phi(i,r) = sum x / max(m, eps) * prod of the other factors' rows
 *                           if max |min(B, 1 - Phi)| is below the tolerance: the mode is done
 *                           B = B * Phi
 *   lambda = column sums of B,  A_n = B diag(1 / lambda)
 * converged when every mode is done at its first Phi
 * </pre>
 *
 * <p>The log-likelihood is {@code sum x log m - sum_r lambda_r}, without the logarithms of
 * factorials. Columns of the factors sum to 1: probabilities of the slices in a component.
 *
 * @param maxIterations over all modes
 * @param inner updates of a mode in an iteration at most
 * @param tolerance of the Karush-Kuhn-Tucker conditions; 0 runs every iteration
 */
public record CpApr(
    int rank, int maxIterations, int inner, double tolerance, long seed, ValueType valueType)
    implements Method<CpApr.Model> {
  private static final double KAPPA = 0.01;
  private static final double KAPPA_TOLERANCE = 1e-10;
  private static final String EPS = "0.0000000001";

  /**
   * What a run ends with.
   *
   * @param factors mode size x R, columns of sum 1
   * @param lambda expected counts of the components
   * @param logLikelihoods after each iteration
   * @param violations 2-norm of {@code min(B, 1 - Phi)} of all modes before each iteration
   * @param updates of modes, in all
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Model(
      List<Factor> factors,
      double[] lambda,
      List<Double> logLikelihoods,
      List<Double> violations,
      List<Double> seconds,
      int updates,
      boolean converged) {}

  public CpApr {
    if (rank < 1 || maxIterations < 1 || inner < 1 || !(tolerance >= 0)) {
      throw new WeftException(
          ErrorCode.USAGE,
          String.format(
              Locale.ROOT,
              "cpapr: expected a rank, iterations and inner updates of at least 1 and a tolerance of"
                  + " at least 0, found %d, %d, %d and %s",
              rank,
              maxIterations,
              inner,
              tolerance));
    }
  }

  @Override
  public String measure() {
    return "log-likelihood";
  }

  @Override
  public void check(TensorShape shape) {
    if (shape.order() < 2) {
      throw new WeftException(
          ErrorCode.USAGE, "cpapr: expected a tensor of at least 2 modes, found " + shape);
    }
  }

  @Override
  public Job job(TensorShape shape) {
    List<RowStatement> statements = new ArrayList<>();
    RowStatement.Entry ratio = new RowStatement.Entry("x / max(m, " + EPS + ")", rank);
    for (int mode = 0; mode < shape.order(); mode++) {
      statements.add(RowStatement.mttkrp(shape.order(), mode, rank).with("phi", ratio));
    }
    statements.add(RowStatement.sums("likelihood", 0, rank, "x * log(max(m, " + EPS + "))"));
    return new Job("cpapr", statements, List.of(), maxIterations, valueType);
  }

  @Override
  public Memory memory(TensorShape shape) {
    double rows = IntStream.range(0, shape.order()).mapToLong(shape::size).sum();
    return new Memory(
        2 * rows * rank * valueType.bytes(),
        String.format(
            Locale.ROOT, "factors of %,.0f rows of %d numbers; give a lower --rank", rows, rank));
  }

  @Override
  public Model run(Site site, Observer observer) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    return new Run(site).run(observer);
  }

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

  /** {@code A diag(weights)}. */
  private static RowRule weighted(double[] weights) {
    return (rows, sums) -> Arrays.setAll(rows[0], r -> rows[0][r] * weights[r]);
  }

  /** How far B, given Phi, is from the conditions: numbers beyond a tolerance, sum of squares. */
  private static RowRule violation(double tolerance) {
    return (rows, sums) -> {
      for (int r = 0; r < rows[0].length; r++) {
        double violation = Math.abs(Math.min(rows[0][r], 1 - rows[1][r]));
        sums[0] += violation < tolerance ? 0 : 1;
        sums[1] += violation * violation;
      }
    };
  }

  /** Factors and Phi of one run. */
  private final class Run {
    private final Site site;
    private final int order;
    private final CpFactors factors;
    private final List<Rows> phi = new ArrayList<>();
    private final List<Double> violations = new ArrayList<>();
    private double[] lambda = new double[rank];
    private int updates;
    private boolean done;

    Run(Site site) {
      this.site = site;
      this.order = site.shape().order();
      this.factors = new CpFactors(site, rank, seed, valueType, mode -> (rows, sums) -> {});
      for (int mode = 0; mode < order; mode++) {
        phi.add(site.rows(mode, rank, valueType));
        normalise(mode, CpFactors.columns(site, factors.of(mode), SUMS));
      }
      // The first update makes the sum of lambda that of the counts; m has to be above eps before.
      Arrays.fill(lambda, site.normSquared() / rank);
    }

    private Step step(int mode) {
      return Step.of(mode, "cpapr, mode " + mode).rows("A", factors.of(mode));
    }

    private void normalise(int mode, double[] columns) {
      double[] weights = Arrays.stream(columns).map(sum -> sum > 0 ? 1 / sum : 0).toArray();
      site.run(step(mode).then(RowOperation.each(weighted(weights), "A")));
    }

    Model run(Observer observer) {
      Sweeps sweeps = new Sweeps(maxIterations, 0, observer);
      while (!sweeps.ended() && !done) {
        sweeps.run(this::sweep);
      }
      return new Model(
          factors.matrices().stream().map(Factor::of).toList(),
          lambda,
          sweeps.fits(),
          violations,
          sweeps.seconds(),
          updates,
          done);
    }

    private double sweep(int sweep) {
      done = true;
      double squares = 0;
      for (int mode = 0; mode < order; mode++) {
        squares += update(mode, sweep);
      }
      violations.add(Math.sqrt(squares));
      site.run(step(0).then(RowOperation.each(weighted(lambda), "A")));
      double logarithms = ModelError.sum(site, order, factors.matrices());
      normalise(0, lambda);
      double likelihood = logarithms - Arrays.stream(lambda).sum();
      Sweeps.requireFinite("the log-likelihood after iteration " + sweep, likelihood);
      return likelihood;
    }

    /** The violation's square before the first update. */
    private double update(int mode, int sweep) {
      Step begin = step(mode);
      if (sweep > 1) {
        begin.rows("P", phi.get(mode)).then(RowOperation.each(ADMISSIBLE, "A", "P"));
      }
      site.run(begin.then(RowOperation.each(weighted(lambda), "A")));
      double[] columns = lambda;
      double before = 0;
      for (int number = 0; number < inner; number++) {
        Step step =
            Step.of(mode, "Phi of mode " + mode + ", iteration " + sweep)
                .product("P", mode, factors.matrices())
                .rows("P", phi.get(mode))
                .rows("A", factors.of(mode))
                .then(each(violation(tolerance), 0, 2));
        double[] found = site.run(step).get("s");
        before = number == 0 ? found[1] : before;
        if (found[0] == 0) {
          break;
        }
        done = false;
        updates++;
        Step multiply = step(mode).rows("P", phi.get(mode)).then(each(MULTIPLIED, 1, rank));
        columns = site.run(multiply).get("s");
      }
      Sweeps.requireFinite(
          "mode " + mode + ", iteration " + sweep + ": the sum of the factor",
          Arrays.stream(columns).sum());
      lambda = columns.clone();
      normalise(mode, lambda);
      return before;
    }

    private static RowOperation each(RowRule rule, int written, int sums) {
      return new RowOperation.Each(rule, List.of("A", "P"), written, "s", sums);
    }
  }
}
