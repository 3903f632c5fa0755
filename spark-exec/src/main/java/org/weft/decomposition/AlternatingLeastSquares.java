package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.ejml.data.DMatrixRMaj;
import org.weft.error.WeftException;
import org.weft.planner.CpdJob;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;

/**
 * CP decomposition {@code X ~ sum_r lambda_r a_r o b_r o ...} by alternating least squares (Kolda
 * and Bader 2009, figure 3.3), or with nonnegative factors by hierarchical alternating least
 * squares (HALS; Cichocki and Phan 2009, algorithm 2).
 *
 * <p>Every update normalises the columns of the new factor to 2-norm 1 and puts the norms into
 * lambda; a column that vanished keeps zeros and lambda 0. The fit is {@code 1 - ||X - model|| /
 * ||X||}, from the last MTTKRP of the sweep: {@code ||X - model||^2 = ||X||^2 - 2 <X, model> +
 * ||model||^2}, never forming the residual. The fit of an all-zero tensor is 1 where the model is
 * zero. Initial factors are uniform in [0, 1), a function of seed, mode and row.
 */
public final class AlternatingLeastSquares {
  private static final long MODE_SEED = 0xD1B54A32D192ED03L;

  private static final DMatrixRMaj[] NO_GRAMS = {};

  private final CpdJob job;
  private double[] lambda;
  private double inner;

  /** What a run ends with: factors with unit columns, lambda, fit and seconds of each sweep. */
  public record Model(
      List<DenseMatrix> factors,
      double[] lambda,
      List<Double> fits,
      List<Double> seconds,
      boolean converged) {}

  public AlternatingLeastSquares(CpdJob job) {
    this.job = job;
    this.lambda = new double[job.rank()];
    Arrays.fill(lambda, 1);
  }

  /** The factors that a job starts from: a function of its seed, of mode and row. */
  public static List<DenseMatrix> initialFactors(CpdJob job, TensorShape shape) {
    List<DenseMatrix> initial = new ArrayList<>();
    for (int mode = 0; mode < shape.order(); mode++) {
      initial.add(DenseMatrix.random(shape.size(mode), job.rank(), seed(job, mode)));
    }
    return initial;
  }

  /** The seed of {@link DenseMatrix#random} for the factor that a job starts from. */
  public static long seed(CpdJob job, int mode) {
    return job.seed() + mode * MODE_SEED;
  }

  /**
   * Runs sweeps until the fit changes by less than the tolerance, or to the job's limit.
   *
   * @param normSquared of the tensor, duplicates summed
   * @throws WeftException {@code NONFINITE_VALUE} if it is not finite, or a fit is not
   */
  public Model run(FactorUpdates updates, double normSquared, Method.Observer observer) {
    return run(updates, normSquared, CpRun.FRESH, observer);
  }

  /**
   * As {@link #run(FactorUpdates, double, Method.Observer)}, from a state on.
   *
   * @param updates that begin as {@code run} says
   */
  public Model run(FactorUpdates updates, double normSquared, CpRun run, Method.Observer observer) {
    Sweeps.requireFinite("the sum of the squares of the tensor's values", normSquared);
    int order = updates.order();
    DMatrixRMaj[] grams = run.start().map(CpState::grams).map(this::matrices).orElse(NO_GRAMS);
    if (grams.length == 0) {
      grams = new DMatrixRMaj[order];
      for (int mode = 1; mode < order; mode++) {
        grams[mode] = updates.gram(mode); // that of mode 0 is not read before its update
      }
    }
    lambda = run.start().map(CpState::lambda).orElse(lambda);
    DMatrixRMaj[] now = grams;
    Sweeps sweeps =
        new Sweeps(
            job.maxIterations(),
            job.tolerance(),
            observer,
            run.start().map(CpState::fits).orElse(List.of()),
            run.start().map(CpState::seconds).orElse(List.of()));
    while (!sweeps.ended()) {
      sweeps.run(
          sweep -> {
            sweep(updates, sweep, now);
            double fit = fit(now, normSquared);
            Sweeps.requireFinite("the fit after iteration " + sweep, fit);
            return fit;
          });
      run.checkpoints()
          .after(
              sweeps.count(),
              sweeps.ended(),
              () -> updates.state(now, sweeps.fits(), sweeps.seconds()));
    }
    return new Model(
        updates.factors(), lambda.clone(), sweeps.fits(), sweeps.seconds(), sweeps.converged());
  }

  private void sweep(FactorUpdates updates, int sweep, DMatrixRMaj[] grams) {
    for (int mode = 0; mode < grams.length; mode++) {
      DMatrixRMaj v = hadamard(grams, mode);
      FactorUpdates.Update update = updates.update(mode, sweep, v, mode == grams.length - 1);
      lambda = update.lambda();
      grams[mode] = update.gram();
      inner = update.inner();
    }
  }

  private DMatrixRMaj[] matrices(double[][] grams) {
    return Arrays.stream(grams)
        .map(gram -> new DMatrixRMaj(job.rank(), job.rank(), true, gram.clone()))
        .toArray(DMatrixRMaj[]::new);
  }

  private double fit(DMatrixRMaj[] grams, double normSquared) {
    DMatrixRMaj all = hadamard(grams, -1);
    double model = 0;
    for (int r = 0; r < job.rank(); r++) {
      for (int s = 0; s < job.rank(); s++) {
        model += lambda[r] * all.get(r, s) * lambda[s];
      }
    }
    double residual = Math.sqrt(Math.max(0, normSquared - 2 * inner + model));
    if (normSquared == 0) {
      return model <= Double.MIN_NORMAL ? 1 : 0;
    }
    return 1 - residual / Math.sqrt(normSquared);
  }

  /** The Hadamard product of all {@code grams} but that of {@code except} (-1: of all). */
  private DMatrixRMaj hadamard(DMatrixRMaj[] grams, int except) {
    DMatrixRMaj product = new DMatrixRMaj(job.rank(), job.rank());
    product.fill(1);
    for (int mode = 0; mode < grams.length; mode++) {
      for (int i = 0; mode != except && i < product.data.length; i++) {
        product.data[i] *= grams[mode].data[i];
      }
    }
    return product;
  }
}
