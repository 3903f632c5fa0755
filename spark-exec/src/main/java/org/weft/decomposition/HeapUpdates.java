package org.weft.decomposition;

import java.util.Arrays;
import java.util.List;
import org.ejml.data.DMatrixRMaj;
import org.weft.planner.CpdJob;
import org.weft.tensor.DenseMatrix;

/**
 * Updates of factors that live on this process's heap, by MTTKRPs that come from anywhere. Also the
 * nonnegative ones.
 */
final class HeapUpdates implements FactorUpdates {
  private final AlternatingLeastSquares.Tensor tensor;
  private final boolean nonnegative;
  private final DenseMatrix[] factors;
  private double[] lambda;

  HeapUpdates(CpdJob job, List<DenseMatrix> initial, AlternatingLeastSquares.Tensor tensor) {
    this.tensor = tensor;
    this.nonnegative = job.nonnegative();
    this.factors = initial.toArray(new DenseMatrix[0]);
    this.lambda = new double[job.rank()];
    Arrays.fill(lambda, 1);
    for (int mode = 0; mode < factors.length; mode++) {
      if (mode > 0) {
        tensor.publish(mode, factors[mode]);
      }
    }
  }

  @Override
  public DMatrixRMaj gram(int mode) {
    return GramMatrix.of(factors[mode]);
  }

  @Override
  public Update update(int mode, int sweep, DMatrixRMaj v, boolean last) {
    DenseMatrix m = tensor.mttkrp(mode, sweep);
    DenseMatrix updated;
    if (nonnegative) {
      updated = factors[mode];
      Nonnegative.update(updated, lambda, m, v);
    } else {
      updated = last ? m.copy() : m;
      new NormalEquations(v).solveInPlace(updated);
    }
    lambda = normalise(updated);
    factors[mode] = updated;
    tensor.publish(mode, updated);
    return new Update(lambda, GramMatrix.of(updated), last ? inner(m, updated, lambda) : 0);
  }

  @Override
  public List<DenseMatrix> factors() {
    return List.of(factors);
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
}
