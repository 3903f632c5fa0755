package org.weft.decomposition.gcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.Resumable;
import org.weft.decomposition.Setting;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.loss.Loss;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * Generalised CP decomposition (Hong, Kolda and Duersch 2020; Kolda and Hong 2020). It looks for
 * the CP model M (values m) that minimises the weighted loss of the stored entries x:
 *
 * <pre>
 * F(M) = sum over the entries of w f(x, m)
 * gradient for mode n:  G_n = Y_(n) (A_N (.) ... (.) A_1) over all modes but n,  y = w df/dm
 * </pre>
 *
 * <p>The gradient of a mode (mode size x R) is an MTTKRP of a tensor Y with the entries' places,
 * and costs O(nnz R).
 *
 * <p><b>Zeros.</b> Only stored entries count. The caller stores zeros with the other entries: all
 * of them, or a sample whose weight w makes up for the zeros that are not in it. The losses of all
 * iterations are sums over the same cells and can be compared. If the caller has {@link
 * ZeroSamples}, gradients are sums over other samples, a new one for each iteration.
 *
 * <p><b>Start.</b> The initial factors are random, and the model's values are about the mean of the
 * entries or the root of the mean of their squares. All factors are nonnegative if the loss
 * requires a nonnegative m.
 *
 * @param rank number of components R
 * @param loss f, a formula in x and m
 * @param optimizer how steps are made
 * @param maxIterations most iterations, of {@code inner} steps each
 * @param inner number of steps of an iteration
 * @param rate length of a step of Adam, relative to the numbers of the initial factors
 * @param tolerance the run has converged if an iteration lowers the loss by a smaller part; 0 runs
 *     every iteration
 * @param zeroWeight w of stored entries that are 0; other entries have the weight 1
 * @param valueType type of the entries and the factors
 * @param samples what gradients see; empty if they see what losses see
 */
public record Gcp(
    int rank,
    Loss loss,
    Optimizer optimizer,
    int maxIterations,
    int inner,
    double rate,
    double tolerance,
    double zeroWeight,
    long seed,
    ValueType valueType,
    Optional<ZeroSamples> samples)
    implements Resumable<Gcp.Model> {
  /** The method that lowers the loss. */
  public enum Optimizer {
    /** Steps follow moving averages of gradients ({@link AdamDescent}). */
    ADAM,
    /** Quasi-Newton steps, with a line search along each ({@link LbfgsDescent}). */
    LBFGS
  }

  /**
   * The model that a run ends with.
   *
   * @param factors a matrix of mode size x R for each mode, with columns of 2-norm 1
   * @param lambda the weight of each component
   * @param losses F after each iteration
   * @param seconds time of each iteration
   * @param failures how many iterations of Adam, or searches of L-BFGS, were taken back
   * @param converged whether the tolerance, or the optimizer, ended the run
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Model(
      List<Factor> factors,
      double[] lambda,
      List<Double> losses,
      List<Double> seconds,
      int failures,
      boolean converged) {}

  public Gcp {
    Setting.require("gcp", rank >= 1, "a rank of at least 1", rank);
    Setting.require("gcp", maxIterations >= 1, "at least 1 iteration", maxIterations);
    Setting.require("gcp", inner >= 1, "at least 1 inner step", inner);
    Setting.require("gcp", rate > 0, "a rate above 0", rate);
    Setting.require("gcp", tolerance >= 0, "a tolerance of at least 0", tolerance);
  }

  @Override
  public String measure() {
    return "minus the loss";
  }

  @Override
  public void checkOrder(int order) {
    Setting.require("gcp", order >= 2, "a tensor of at least 2 modes", order);
  }

  /** With {@link ZeroSamples}, no gradient is computed at the run's own site. */
  @Override
  public Job job(TensorShape shape) {
    return samples.isPresent() ? job("gcp", sums()) : whole(shape, "gcp");
  }

  /** The gradients of all modes, then loss, sum and number of the entries. */
  Job whole(TensorShape shape, String name) {
    List<RowStatement> statements = new ArrayList<>();
    RowStatement.Entry slope = new RowStatement.Entry(weighted(loss.derivative()), rank);
    for (int mode = 0; mode < shape.order(); mode++) {
      statements.add(RowStatement.mttkrp(shape.order(), mode, rank).with("gradient", slope));
    }
    statements.addAll(sums());
    return job(name, statements);
  }

  private List<RowStatement> sums() {
    return List.of(
        RowStatement.sums("loss", 0, rank, weighted(loss.formula())),
        RowStatement.sums("total", 0, 0, "x"),
        RowStatement.sums("count", 0, 0, "1"));
  }

  private Job job(String name, List<RowStatement> statements) {
    List<KernelRequest> algebra = List.of(RowAlgebra.of(rank, valueType).copy());
    return new Job(name, statements, algebra, maxIterations * inner, valueType)
        .withTolerance(tolerance);
  }

  /**
   * Multiplies a formula by the weight w. The language has no condition: {@code min(1, abs(x) *
   * 1e300)} is 0 for a zero and 1 for other entries. The large number has to be one of the type:
   * zero times infinity is not a number.
   */
  private String weighted(String value) {
    String large = valueType == ValueType.FLOAT ? "1e38" : "1e300";
    String present = "min(1, abs(x) * " + large + ")";
    return zeroWeight == 1
        ? value
        : "(" + zeroWeight + " + " + (1 - zeroWeight) + " * " + present + ") * (" + value + ")";
  }

  @Override
  public Memory memory(TensorShape shape) {
    double rows = IntStream.range(0, shape.order()).mapToLong(shape::size).sum();
    return new Memory(
        ((samples.isPresent() ? 2 : 0)
                + (optimizer == Optimizer.ADAM ? 5 : 5 + 2 * LimitedMemory.PAIRS))
            * (rows * rank * valueType.bytes()),
        String.format(
            Locale.ROOT,
            "factors, gradients and what steps keep, of %,.0f rows of %s; give a lower --rank",
            rows,
            Counts.plain(rank, "number")));
  }

  @Override
  public Model run(Site site, Observer observer, Checkpoints checkpoints) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    Sweeps.requireSquares(site, valueType);
    Sweeps sweeps = new Sweeps(maxIterations, 0, observer, checkpoints);
    Run run = new Run(site, sweeps.start());
    sweeps.run(site, run::iteration, () -> run.converged, run::state);
    CpFactors.Normalised found = CpFactors.Normalised.of(site, run.model.factors());
    return new Model(
        found.factors(),
        found.lambda(),
        run.losses,
        sweeps.seconds(),
        run.descent.failures(),
        run.converged);
  }

  /** The factors and the losses of one run. */
  private final class Run {
    private final LossModel model;
    private final Descent descent;
    private final List<Double> losses = new ArrayList<>();
    private boolean converged;

    Run(Site site, Optional<MethodState<RowSource>> start) {
      model = new LossModel(site, Gcp.this, start);
      descent =
          optimizer == Optimizer.ADAM
              ? new AdamDescent(model, inner, rate, start)
              : new LbfgsDescent(model, inner, start);
      start.ifPresent(
          state -> {
            losses.addAll(state.list("losses"));
            converged = state.number("converged") > 0;
          });
    }

    MethodState<Rows> state() {
      MethodState<Rows> state = model.state().numbers("losses", losses);
      return descent.save(state.numbers("converged", converged ? 1 : 0));
    }

    double iteration(int number) {
      int failures = descent.failures();
      losses.add(descent.iteration(number));
      boolean lowered = descent.failures() == failures;
      converged = descent.ended() || (lowered && fellLittle());
      return -losses.get(number - 1);
    }

    /**
     * Whether the latest iteration lowered the loss by no more than the tolerance. A loss that is 0
     * but for the rounding of the first one counts as large as this rounding: parts of it mean
     * nothing.
     */
    private boolean fellLittle() {
      int last = losses.size() - 1;
      if (last == 0 || tolerance == 0) {
        return false;
      }
      double now = losses.get(last);
      double size = Math.max(Math.abs(now), Math.ulp(1.0) * Math.abs(losses.get(0)));
      return losses.get(last - 1) - now <= tolerance * size;
    }
  }
}
