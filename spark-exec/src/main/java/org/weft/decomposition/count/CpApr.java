package org.weft.decomposition.count;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.Resumable;
import org.weft.decomposition.Setting;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * CP decomposition of counts by alternating Poisson regression (Chi and Kolda 2012, algorithms 1 to
 * 3). It looks for the nonnegative model M under which {@code X ~ Poisson(M)} is most likely. The
 * likelihood covers all cells, with the zeros. Multiplicative updates are, for factors A_n, B and
 * Phi of mode size x R:
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
 * <p>Updates by Newton's method ({@link NewtonUpdate}) may take the place of {@code B = B * Phi}.
 * They need far fewer iterations near the solution, but an iteration costs more. Each Phi costs
 * O(nnz R).
 *
 * <p>The counts are divided by their unit ({@link Site#unit}) first, and lambda is multiplied by it
 * at the end. B, eps, kappa and the tolerance are thus about the same for rates of 1e-6 and for
 * counts of thousands.
 *
 * <p>The log-likelihood is {@code sum x log m - sum_r lambda_r}, without the logarithms of
 * factorials. The columns of the factors sum to 1: they are the probabilities of the slices in a
 * component.
 *
 * @param update the method by which the factor of a mode changes
 * @param rank number of components R
 * @param maxIterations most iterations over all modes
 * @param inner most updates of a mode in an iteration
 * @param tolerance the run has converged if the Karush-Kuhn-Tucker conditions hold to this
 *     tolerance; 0 runs every iteration
 * @param seed seed of the initial factors
 * @param valueType type of the counts and the factors
 */
public record CpApr(
    Update update,
    int rank,
    int maxIterations,
    int inner,
    double tolerance,
    long seed,
    ValueType valueType)
    implements Resumable<CpApr.Model> {
  /** The method by which the factor of a mode changes. */
  public enum Update {
    /** Multiplicative updates of all rows. */
    MU,
    /** Damped Newton steps for each row, with an R x R Hessian matrix a row. */
    PDNR,
    /** Quasi-Newton steps for each row, by limited-memory BFGS. */
    PQNR
  }

  /**
   * The model that a run ends with.
   *
   * @param factors a matrix of mode size x R for each mode, whose columns sum to 1
   * @param lambda the expected count of each component
   * @param logLikelihoods the log-likelihood after each iteration
   * @param violations the 2-norm of {@code min(B, 1 - Phi)} of all modes, before each iteration, B
   *     being in the unit of the counts
   * @param seconds time of each iteration
   * @param updates the number of updates of modes in the whole run
   * @param converged whether the tolerance ended the run
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
    Setting.require("cpapr", rank >= 1, "a rank of at least 1", rank);
    Setting.require("cpapr", maxIterations >= 1, "at least 1 iteration", maxIterations);
    Setting.require("cpapr", inner >= 1, "at least 1 inner update", inner);
    Setting.require("cpapr", tolerance >= 0, "a tolerance of at least 0", tolerance);
  }

  @Override
  public String measure() {
    return "log-likelihood";
  }

  @Override
  public void checkOrder(int order) {
    Setting.require("cpapr", order >= 2, "a tensor of at least 2 modes", order);
  }

  @Override
  public Job job(TensorShape shape) {
    return new Job(
        "cpapr", statements(shape.order()).statements(), List.of(), maxIterations, valueType);
  }

  private CountJob statements(int order) {
    return new CountJob(update, order, rank);
  }

  @Override
  public Memory memory(TensorShape shape) {
    return statements(shape.order()).memory(shape, valueType);
  }

  @Override
  public Model run(Site site, Observer observer, Checkpoints checkpoints) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    Sweeps sweeps = new Sweeps(maxIterations, 0, observer, checkpoints);
    return new Run(site, sweeps.start()).run(sweeps);
  }

  /** The state of one run. */
  private final class Run {
    private final Site site;
    private final int order;
    private final CountJob job;
    private final CountModel model;
    private final CountUpdate rule;
    private final double total;
    private final List<Double> violations = new ArrayList<>();
    private int updates;
    private boolean done;

    Run(Site site, Optional<MethodState<RowSource>> start) {
      this.site = site;
      this.order = site.shape().order();
      this.job = statements(order);
      this.model = new CountModel(site, rank, seed, valueType, start);
      this.total = ModelError.sum(site, job.total(), List.of());
      this.rule =
          update == Update.MU
              ? (mode, sweep, number) -> model.multiply(mode)
              : new NewtonUpdate(site, model, job, valueType, tolerance);
      start.ifPresent(
          state -> {
            violations.addAll(state.list("violations"));
            updates = (int) state.number("updates");
            done = state.number("done") > 0;
          });
    }

    private MethodState<Rows> state() {
      return model
          .state(update == Update.MU)
          .numbers("violations", violations)
          .numbers("updates", updates)
          .numbers("done", done ? 1 : 0);
    }

    Model run(Sweeps sweeps) {
      sweeps.run(site, this::sweep, () -> done, this::state);
      return new Model(
          model.factors().stream().map(Factor::of).toList(),
          model.counted(),
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
      double likelihood = model.logLikelihood(job.likelihood(), total);
      Sweeps.requireFinite(
          "the log-likelihood after iteration " + sweep, likelihood, site, model.factors());
      return likelihood;
    }

    /** Updates a mode and returns the square of its violation before the first update. */
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
          Arrays.stream(columns).sum(),
          site,
          List.of(model.factors().get(mode)));
      model.end(mode, columns);
      return before;
    }
  }
}
