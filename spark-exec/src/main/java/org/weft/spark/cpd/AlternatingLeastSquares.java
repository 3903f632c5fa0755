package org.weft.spark.cpd;

import java.util.ArrayList;
import java.util.List;
import org.ejml.data.DMatrixRMaj;
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

  private final CpdJob job;
  private final int order;
  private final DenseMatrix[] factors;
  private final DMatrixRMaj[] grams;
  private double[] lambda;
  private double inner;

  /** Where MTTKRPs come from. */
  public interface Tensor {
    /** The factor of {@code mode} has changed. */
    void publish(int mode, DenseMatrix factor);

    /** {@code M: I_mode x R}; the caller may change it. {@code sweep} counts from 1. */
    DenseMatrix mttkrp(int mode, int sweep);
  }

  /** Hears of every sweep. */
  public interface Observer {
    void sweep(int number, double fit, double change, double seconds);
  }

  /** What a run ends with: factors with unit columns, lambda, the fit of each sweep. */
  public record Model(
      List<DenseMatrix> factors, double[] lambda, List<Double> fits, boolean converged) {}

  public AlternatingLeastSquares(CpdJob job, TensorShape shape) {
    this.job = job;
    this.order = shape.order();
    this.factors = new DenseMatrix[order];
    this.grams = new DMatrixRMaj[order];
    this.lambda = new double[job.rank()];
    java.util.Arrays.fill(lambda, 1);
    for (int mode = 0; mode < order; mode++) {
      factors[mode] =
          DenseMatrix.random(shape.size(mode), job.rank(), job.seed() + mode * MODE_SEED);
      grams[mode] = GramMatrix.of(factors[mode]);
    }
  }

  /**
   * Runs sweeps until the fit changes by less than the tolerance, or to the job's limit.
   *
   * @param normSquared of the tensor, duplicates summed
   */
  public Model run(Tensor tensor, double normSquared, Observer observer) {
    for (int mode = 1; mode < order; mode++) {
      tensor.publish(mode, factors[mode]);
    }
    List<Double> fits = new ArrayList<>();
    boolean converged = false;
    double previous = 0;
    for (int sweep = 1; sweep <= job.maxIterations() && !converged; sweep++) {
      long start = System.nanoTime();
      for (int mode = 0; mode < order; mode++) {
        update(tensor, mode, sweep);
        boolean last = sweep == job.maxIterations() && mode == order - 1;
        if (!last) {
          tensor.publish(mode, factors[mode]);
        }
      }
      double fit = fit(normSquared);
      double change = fit - previous;
      converged = sweep > 1 && Math.abs(change) < job.tolerance();
      previous = fit;
      fits.add(fit);
      observer.sweep(sweep, fit, change, (System.nanoTime() - start) * 1e-9);
    }
    return new Model(List.of(factors), lambda.clone(), fits, converged);
  }

  private void update(Tensor tensor, int mode, int sweep) {
    DenseMatrix m = tensor.mttkrp(mode, sweep);
    DMatrixRMaj v = GramMatrix.hadamard(grams, job.rank(), mode);
    boolean last = mode == order - 1;
    DenseMatrix updated;
    if (job.nonnegative()) {
      updated = factors[mode];
      Nonnegative.update(updated, lambda, m, v);
    } else {
      updated = last ? m.copy() : m;
      new NormalEquations(v).solveInPlace(updated);
    }
    lambda = normalise(updated);
    if (last) {
      inner = inner(m, updated, lambda);
    }
    factors[mode] = updated;
    grams[mode] = GramMatrix.of(updated);
  }

  /** Scales columns to 2-norm 1; returns the norms. A column of zeros stays, with norm 0. */
  private static double[] normalise(DenseMatrix factor) {
    int rank = factor.columns();
    double[] squares =
        RowChunks.sum(
            factor,
            rank,
            chunk -> {
              double[] sums = new double[rank];
              for (int i = 0; i < chunk.rows() * rank; i++) {
                double value = chunk.array()[chunk.offset() + i];
                sums[i % rank] += value * value;
              }
              return sums;
            });
    double[] norms = new double[rank];
    double[] scale = new double[rank];
    for (int r = 0; r < rank; r++) {
      norms[r] = Math.sqrt(squares[r]);
      scale[r] = norms[r] > 0 ? 1 / norms[r] : 0;
    }
    List<RowChunks.Chunk> chunks = RowChunks.of(factor);
    RowChunks.each(
        chunks,
        c -> {
          RowChunks.Chunk chunk = chunks.get(c);
          for (int i = 0; i < chunk.rows() * rank; i++) {
            chunk.array()[chunk.offset() + i] *= scale[i % rank];
          }
        });
    return norms;
  }

  /** {@code <X, model> = sum_r lambda_r sum_i M(i,r) A(i,r)} for the last updated mode. */
  private static double inner(DenseMatrix m, DenseMatrix factor, double[] lambda) {
    int rank = factor.columns();
    double[] sums =
        RowChunks.sum(
            factor,
            rank,
            chunk -> {
              double[] part = new double[rank];
              for (int row = 0; row < chunk.rows(); row++) {
                for (int r = 0; r < rank; r++) {
                  part[r] +=
                      m.get(chunk.first() + row, r)
                          * chunk.array()[chunk.offset() + row * rank + r];
                }
              }
              return part;
            });
    double inner = 0;
    for (int r = 0; r < rank; r++) {
      inner += lambda[r] * sums[r];
    }
    return inner;
  }

  private double fit(double normSquared) {
    DMatrixRMaj all = GramMatrix.hadamard(grams, job.rank(), -1);
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
}
