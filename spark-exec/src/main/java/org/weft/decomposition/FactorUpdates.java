package org.weft.decomposition;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.weft.planner.CpdJob;
import org.weft.tensor.DenseMatrix;

/**
 * Brings the factors of a decomposition up to date, one after another. Only what is R x R is here;
 * rows are the business of {@link FactorSteps}.
 *
 * <p>Columns are not divided by their norms, which would read and write a factor once more: a
 * factor is {@code A diag(scale)} for the stored A, and the scales of the other factors go into the
 * R x R matrix that the next MTTKRP is multiplied by. That matrix is also divided by the norms of
 * the sweep before, which keeps A near 2-norm 1.
 */
public final class FactorUpdates {
  private final int rank;
  private final boolean nonnegative;
  private final FactorSteps steps;
  private final double[][] scales;
  private final double[][] norms;

  /** The model's weights: the lambda of the latest update. */
  private double[] weight;

  /**
   * What an update found.
   *
   * @param lambda 2-norms of the new factor's columns before they were normalised
   * @param gram {@code A^T A: R x R} of the new factor
   * @param inner {@code <X, model>} if it was asked for
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Update(double[] lambda, DMatrixRMaj gram, double inner) {}

  /**
   * @param order modes of the tensor
   * @param steps whose stored factors are those to start from
   * @param norm of the tensor: about what the columns' norms will be in the first sweep
   */
  public FactorUpdates(CpdJob job, int order, FactorSteps steps, double norm) {
    this.rank = job.rank();
    this.nonnegative = job.nonnegative();
    this.steps = steps;
    this.scales = new double[order][];
    this.norms = new double[order][];
    for (int mode = 0; mode < order; mode++) {
      scales[mode] = ones();
      norms[mode] = ones();
      Arrays.fill(norms[mode], norm);
    }
    this.weight = ones();
  }

  /**
   * @param steps whose stored factors are those of {@code state}
   */
  public FactorUpdates(CpdJob job, FactorSteps steps, CpState state) {
    this.rank = job.rank();
    this.nonnegative = job.nonnegative();
    this.steps = steps;
    this.scales = copy(state.scales());
    this.norms = copy(state.norms());
    this.weight = state.lambda().clone();
  }

  /** Updates that begin as {@code run} says. */
  public static FactorUpdates of(CpdJob job, int order, FactorSteps steps, double norm, CpRun run) {
    return run.start()
        .map(state -> new FactorUpdates(job, steps, state))
        .orElseGet(() -> new FactorUpdates(job, order, steps, norm));
  }

  private static double[][] copy(double[][] rows) {
    return Arrays.stream(rows).map(double[]::clone).toArray(double[][]::new);
  }

  /** What the next update depends on, but for the Gram matrices and what was counted. */
  CpState state(DMatrixRMaj[] grams, List<Double> fits, List<Double> seconds) {
    return new CpState(
        IntStream.range(0, scales.length).mapToObj(steps::factor).toList(),
        copy(scales),
        copy(norms),
        Arrays.stream(grams).map(gram -> gram.data.clone()).toArray(double[][]::new),
        weight.clone(),
        fits,
        seconds);
  }

  /** Modes of the tensor. */
  public int order() {
    return scales.length;
  }

  /** The Gram matrix of the factor of {@code mode} as it is. */
  public DMatrixRMaj gram(int mode) {
    return scaled(steps.gram(mode), scales[mode]);
  }

  /**
   * Replaces the factor of {@code mode} by the solution of its least-squares problem, with columns
   * of 2-norm 1.
   *
   * @param sweep counts from 1
   * @param v the Hadamard product of the other factors' Gram matrices
   * @param last whether {@code <X, model>} is wanted
   */
  public Update update(int mode, int sweep, DMatrixRMaj v, boolean last) {
    double[] others = ones();
    for (int m = 0; m < scales.length; m++) {
      for (int r = 0; m != mode && r < rank; r++) {
        others[r] *= scales[m][r];
      }
    }
    double[] guess = nonnegative ? ones() : guess(mode);
    FactorSteps.Sums sums = steps.update(mode, sweep, rule(mode, others, guess, v), last);
    double[] lambda = new double[rank];
    double[] scale = new double[rank];
    for (int r = 0; r < rank; r++) {
      double norm = Math.sqrt(sums.gram()[r * rank + r]);
      lambda[r] = norm * guess[r];
      scale[r] = norm > 0 ? 1 / norm : 0;
    }
    scales[mode] = scale;
    norms[mode] = lambda;
    weight = lambda;
    return new Update(
        lambda, scaled(sums.gram(), scale), last ? inner(sums.inner(), others, lambda, scale) : 0);
  }

  private RowUpdate rule(int mode, double[] others, double[] guess, DMatrixRMaj v) {
    if (nonnegative) {
      double[] weights = scales[mode].clone();
      for (int r = 0; r < rank; r++) {
        weights[r] *= weight[r];
      }
      return RowUpdate.Nonnegative.of(weights, others, v);
    }
    DMatrixRMaj inverse = new NormalEquations(v).inverse();
    double[] product = new double[rank * rank];
    for (int s = 0; s < rank; s++) {
      for (int r = 0; r < rank; r++) {
        product[s * rank + r] = others[s] * inverse.get(s, r) / guess[r];
      }
    }
    return new RowUpdate.LeastSquares(product);
  }

  /** The norms that the columns will have, about: those of the sweep before. */
  private double[] guess(int mode) {
    double[] guess = norms[mode].clone();
    for (int r = 0; r < rank; r++) {
      guess[r] = guess[r] > 0 && 1 / guess[r] > 0 && Double.isFinite(guess[r]) ? guess[r] : 1;
    }
    return guess;
  }

  /** {@code <X, model> = sum_r lambda_r sum_i M(i,r) A(i,r)}. */
  private double inner(double[] sums, double[] others, double[] lambda, double[] scale) {
    double inner = 0;
    for (int r = 0; r < rank; r++) {
      inner += lambda[r] * others[r] * scale[r] * sums[r];
    }
    return inner;
  }

  private DMatrixRMaj scaled(double[] gram, double[] scale) {
    DMatrixRMaj scaled = new DMatrixRMaj(rank, rank);
    for (int r = 0; r < rank; r++) {
      for (int s = 0; s < rank; s++) {
        scaled.set(r, s, gram[r * rank + s] * scale[r] * scale[s]);
      }
    }
    return scaled;
  }

  private double[] ones() {
    double[] ones = new double[rank];
    Arrays.fill(ones, 1);
    return ones;
  }

  /** The factors, by mode, with columns of 2-norm 1 or 0. */
  public List<DenseMatrix> factors() {
    return IntStream.range(0, scales.length).mapToObj(this::factor).toList();
  }

  private DenseMatrix factor(int mode) {
    DenseMatrix factor = steps.factor(mode);
    double[] scale = scales[mode];
    for (int c = 0; c < factor.chunkCount(); c++) {
      double[] chunk = factor.chunk(c);
      for (int i = 0; i < chunk.length; i++) {
        chunk[i] *= scale[i % rank];
      }
    }
    return factor;
  }
}
