package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.ejml.data.DMatrixRMaj;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.planner.CpdJob;
import org.weft.runtime.Kernel;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Updates of factors that live off the heap of this process, in place: an update reads and writes
 * each row of the factor a few times and allocates nothing. All that is of a mode's size is done by
 * compiled kernels; R x R matrices by EJML.
 *
 * <p>Columns are not divided by their norms, which would read and write the factor once more: a
 * factor is {@code A diag(scale)}, and the scales of the other factors go into the R x R matrix
 * that the next MTTKRP is multiplied by. That matrix is divided by the norms of the sweep before,
 * which keeps A near 2-norm 1; the first sweep has none and multiplies twice.
 */
public final class OffHeapUpdates implements FactorUpdates {
  private final int rank;
  private final boolean nonnegative;
  private final ValueType type;
  private final Mttkrp mttkrp;
  private final FactorKernels kernels;
  private final int threads;
  private final MemoryScope scope;
  private final List<TensorStorage> factors = new ArrayList<>();
  private final List<TensorStorage> results = new ArrayList<>();
  private final double[][] scales;
  private final double[][] norms;

  /** The model's weights: the lambda of the latest update. */
  private double[] weight;

  private final TensorStorage small;
  private final TensorStorage sums;

  /** Computes MTTKRPs. */
  public interface Mttkrp {
    /**
     * {@code result(i,r) = sum T(..,i,..) prod F_m(..,r)} over the modes but {@code mode}.
     *
     * @param sweep counts from 1
     * @param factors by mode, {@code I_m x R}; borrowed; the same for every call, and unchanged
     *     since the call before but for the factor of that call's mode
     * @param result {@code I_mode x R}, to be overwritten; the same for every call of a mode
     */
    void run(int mode, int sweep, List<TensorStorage> factors, TensorStorage result);
  }

  /**
   * @param initial the factors to start from, mode size x R each; copied
   * @param kernels for that rank
   * @param threads that a kernel may use
   * @param scope owner of factors and buffers, which the caller closes
   */
  public OffHeapUpdates(
      CpdJob job,
      List<DenseMatrix> initial,
      Mttkrp mttkrp,
      FactorKernels kernels,
      int threads,
      MemoryScope scope) {
    this.rank = job.rank();
    this.nonnegative = job.nonnegative();
    this.type = job.valueType();
    this.mttkrp = mttkrp;
    this.kernels = kernels;
    this.threads = threads;
    this.scope = scope;
    this.scales = new double[initial.size()][rank];
    this.norms = new double[initial.size()][0];
    this.weight = new double[rank];
    Arrays.fill(weight, 1);
    long most = 0;
    for (int mode = 0; mode < initial.size(); mode++) {
      TensorShape size = TensorShape.of(initial.get(mode).rows(), rank);
      TensorStorage factor = TensorStorage.dense(scope, size, type);
      if (type == ValueType.FLOAT) {
        initial.get(mode).copyToFloats(factor.vals().address());
      } else {
        initial.get(mode).copyTo(factor.vals().address());
      }
      factors.add(factor);
      Arrays.fill(scales[mode], 1);
      most = Math.max(most, initial.get(mode).rows());
    }
    TensorStorage buffer = TensorStorage.dense(scope, TensorShape.of(most, rank), type);
    for (int mode = 0; mode < initial.size(); mode++) {
      TensorShape size = TensorShape.of(initial.get(mode).rows(), rank);
      results.add(TensorStorage.denseView(scope, size, type, buffer.vals().address()));
    }
    this.small = TensorStorage.dense(scope, TensorShape.of(rank, rank), ValueType.DOUBLE);
    this.sums = TensorStorage.dense(scope, TensorShape.of(rank), ValueType.DOUBLE);
  }

  /** What MTTKRPs of {@code mode} are written to. */
  public TensorStorage result(int mode) {
    return results.get(mode);
  }

  @Override
  public DMatrixRMaj gram(int mode) {
    small.clear();
    run(kernels.gram(), Map.of("A", factors.get(mode), "G", small));
    DMatrixRMaj gram = new DMatrixRMaj(rank, rank);
    double[] scale = scales[mode];
    for (int r = 0; r < rank; r++) {
      for (int s = 0; s < rank; s++) {
        gram.set(r, s, small.vals().getDouble((long) r * rank + s) * scale[r] * scale[s]);
      }
    }
    return gram;
  }

  @Override
  public Update update(int mode, int sweep, DMatrixRMaj v, boolean last) {
    mttkrp.run(mode, sweep, factors, results.get(mode));
    double[] others = new double[rank];
    Arrays.fill(others, 1);
    for (int m = 0; m < scales.length; m++) {
      for (int r = 0; m != mode && r < rank; r++) {
        others[r] *= scales[m][r];
      }
    }
    double[] guess = nonnegative ? nonnegative(mode, others, v) : solve(mode, others, v);
    DMatrixRMaj gram = gram(mode);
    double[] lambda = columnNorms(gram, guess);
    for (int r = 0; r < rank; r++) {
      double norm = Math.sqrt(gram.get(r, r));
      scales[mode][r] = norm > 0 ? 1 / norm : 0;
    }
    for (int r = 0; r < rank; r++) {
      for (int s = 0; s < rank; s++) {
        gram.set(r, s, gram.get(r, s) * scales[mode][r] * scales[mode][s]);
      }
    }
    norms[mode] = lambda;
    weight = lambda;
    return new Update(lambda, gram, last ? inner(mode, others, lambda) : 0);
  }

  /**
   * {@code A = M diag(others) V^-1 diag(1 / guess)}; the guess at the norms that A was divided by.
   */
  private double[] solve(int mode, double[] others, DMatrixRMaj v) {
    DMatrixRMaj inverse = new NormalEquations(v).inverse();
    Arrays.fill(scales[mode], 1);
    double[] one = new double[rank];
    Arrays.fill(one, 1);
    if (norms[mode].length == 0) {
      multiply(mode, others, inverse, one);
      norms[mode] = columnNorms(gram(mode), one);
    }
    double[] guess = norms[mode].clone();
    for (int r = 0; r < rank; r++) {
      guess[r] = guess[r] > 0 && 1 / guess[r] > 0 && Double.isFinite(guess[r]) ? guess[r] : 1;
    }
    multiply(mode, others, inverse, guess);
    return guess;
  }

  /** As {@link #solve} for nonnegative factors, which nothing divides: {@link Nonnegative}. */
  private double[] nonnegative(int mode, double[] others, DMatrixRMaj v) {
    double[] weights = scales[mode].clone();
    double[] one = new double[rank];
    Arrays.fill(one, 1);
    for (int r = 0; r < rank; r++) {
      weights[r] *= weight[r];
    }
    Nonnegative.update(factors.get(mode), weights, results.get(mode), others, v);
    Arrays.fill(scales[mode], 1);
    return one;
  }

  /** {@code A = M diag(others) inverse diag(1 / guess)}. */
  private void multiply(int mode, double[] others, DMatrixRMaj inverse, double[] guess) {
    NativeArray values = small.vals();
    for (int s = 0; s < rank; s++) {
      for (int r = 0; r < rank; r++) {
        values.setDouble((long) s * rank + r, others[s] * inverse.get(s, r) / guess[r]);
      }
    }
    TensorStorage factor = factors.get(mode);
    factor.clear(threads);
    run(kernels.product(), Map.of("M", results.get(mode), "P", small, "A", factor));
  }

  private double[] columnNorms(DMatrixRMaj gram, double[] guess) {
    double[] lengths = new double[rank];
    for (int r = 0; r < rank; r++) {
      lengths[r] = Math.sqrt(gram.get(r, r)) * guess[r];
    }
    return lengths;
  }

  /** {@code <X, model> = sum_r lambda_r sum_i M(i,r) A(i,r)} for the mode just updated. */
  private double inner(int mode, double[] others, double[] lambda) {
    sums.clear();
    run(kernels.inner(), Map.of("M", results.get(mode), "A", factors.get(mode), "d", sums));
    double inner = 0;
    for (int r = 0; r < rank; r++) {
      inner += lambda[r] * others[r] * scales[mode][r] * sums.vals().getDouble(r);
    }
    return inner;
  }

  private void run(Kernel kernel, Map<String, TensorStorage> bound) {
    kernel.run(bound, Map.of(), scope, threads);
  }

  @Override
  public List<DenseMatrix> factors() {
    List<DenseMatrix> copies = new ArrayList<>();
    for (int mode = 0; mode < factors.size(); mode++) {
      TensorStorage factor = factors.get(mode);
      DenseMatrix copy = DenseMatrix.zeros(factor.shape().size(0), rank);
      if (type == ValueType.FLOAT) {
        copy.copyFromFloats(factor.vals().address());
      } else {
        copy.copyFrom(factor.vals().address());
      }
      double[] scale = scales[mode];
      List<RowChunks.Chunk> chunks = RowChunks.of(copy);
      RowChunks.each(
          chunks,
          c -> {
            RowChunks.Chunk chunk = chunks.get(c);
            for (int i = 0; i < chunk.rows() * rank; i++) {
              chunk.array()[chunk.offset() + i] *= scale[i % rank];
            }
          });
      copies.add(copy);
    }
    return copies;
  }
}
