package org.weft.decomposition.count;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.weft.decomposition.Method;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.Site;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * CP decomposition of counts by alternating Poisson regression (Chi and Kolda 2012, algorithms 1 to
 * 3): the nonnegative model M under which {@code X ~ Poisson(M)} is most likely. The likelihood is
 * that of all cells, the zeros too. With multiplicative updates:
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
 * <p>Updates by Newton's method ({@link NewtonUpdate}) take the place of {@code B = B * Phi}: they
 * need far fewer iterations near the solution, each of which costs more.
 *
 * <p>The log-likelihood is {@code sum x log m - sum_r lambda_r}, without the logarithms of
 * factorials. Columns of the factors sum to 1: probabilities of the slices in a component.
 *
 * @param update how a mode's factor changes
 * @param maxIterations over all modes
 * @param inner updates of a mode in an iteration at most
 * @param tolerance of the Karush-Kuhn-Tucker conditions; 0 runs every iteration
 */
public record CpApr(
    Update update,
    int rank,
    int maxIterations,
    int inner,
    double tolerance,
    long seed,
    ValueType valueType)
    implements Method<CpApr.Model> {
  private static final String MODEL = "max(m, 0.0000000001)";

  /** How a mode's factor changes. */
  public enum Update {
    /** Multiplicative. */
    MU,
    /** Damped Newton for each row: R x R numbers a row. */
    PDNR,
    /** Quasi-Newton for each row, by limited-memory BFGS. */
    PQNR
  }

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
    int order = shape.order();
    RowStatement.Entry ratio = new RowStatement.Entry("x / " + MODEL, rank);
    for (int mode = 0; mode < order; mode++) {
      statements.add(RowStatement.mttkrp(order, mode, rank).with("phi", ratio));
    }
    String logarithm = "x * log(" + MODEL + ")";
    statements.add(RowStatement.sums("likelihood", 0, rank, logarithm));
    for (int mode = 0; update != Update.MU && mode < order; mode++) {
      statements.add(RowStatement.sums("row_likelihood", mode, rank, logarithm));
    }
    String curved = "x / (" + MODEL + " * " + MODEL + ")";
    RowStatement.Entry second = new RowStatement.Entry(curved, rank);
    for (int mode = 0; update == Update.PDNR && mode < order; mode++) {
      statements.add(RowStatement.normal(order, mode, rank).with("hessian", second));
    }
    return new Job("cpapr", statements, List.of(), maxIterations, valueType);
  }

  @Override
  public Memory memory(TensorShape shape) {
    double rows = IntStream.range(0, shape.order()).mapToLong(shape::size).sum();
    double bytes = 2 * rows * rank * valueType.bytes();
    String about = "factors of %,.0f rows of %d numbers; give a lower --rank";
    if (update == Update.MU) {
      return new Memory(bytes, String.format(Locale.ROOT, about, rows, rank));
    }
    bytes += rows * NewtonUpdate.columns(rank, update == Update.PQNR) * Double.BYTES;
    if (update == Update.PQNR) {
      return new Memory(bytes, String.format(Locale.ROOT, about + ", or --method mu", rows, rank));
    }
    double most = IntStream.range(0, shape.order()).mapToLong(shape::size).max().orElse(0);
    return new Memory(
        bytes + most * rank * rank * valueType.bytes(),
        String.format(
            Locale.ROOT,
            "Hessians of %,.0f slices, %,d numbers each; give a lower --rank or --method pqnr",
            most,
            rank * rank));
  }

  @Override
  public Model run(Site site, Observer observer) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    return new Run(site).run(observer);
  }

  /** A run. */
  private final class Run {
    private final int order;
    private final CountModel model;
    private final CountUpdate rule;
    private final List<Double> violations = new ArrayList<>();
    private int updates;
    private boolean done;

    Run(Site site) {
      this.order = site.shape().order();
      this.model = new CountModel(site, rank, seed, valueType);
      this.rule =
          update == Update.MU
              ? (mode, sweep, number) -> model.multiply(mode)
              : new NewtonUpdate(site, model, rank, valueType, tolerance, update == Update.PQNR);
    }

    Model run(Observer observer) {
      Sweeps sweeps = new Sweeps(maxIterations, 0, observer);
      while (!sweeps.ended() && !done) {
        sweeps.run(this::sweep);
      }
      return new Model(
          model.factors().stream().map(Factor::of).toList(),
          model.lambda(),
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
      double likelihood = model.logLikelihood(order);
      Sweeps.requireFinite("the log-likelihood after iteration " + sweep, likelihood);
      return likelihood;
    }

    /** The violation's square before the first update. */
    private double update(int mode, int sweep) {
      model.begin(mode, update == Update.MU && sweep > 1);
      double[] columns = model.lambda();
      double before = 0;
      for (int number = 0; number < inner; number++) {
        double[] found = model.violations(mode, sweep, tolerance);
        before = number == 0 ? found[1] : before;
        if (found[0] == 0) {
          break;
        }
        done = false;
        updates++;
        columns = rule.update(mode, sweep, number);
      }
      Sweeps.requireFinite(
          "mode " + mode + ", iteration " + sweep + ": the sum of the factor",
          Arrays.stream(columns).sum());
      model.end(mode, columns);
      return before;
    }
  }
}
