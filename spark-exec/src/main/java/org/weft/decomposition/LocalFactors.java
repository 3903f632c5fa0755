package org.weft.decomposition;

import java.util.ArrayList;
import java.util.List;
import org.weft.memory.MemoryScope;
import org.weft.planner.CpdJob;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Factors that live off the heap of this process, in place: an update reads and writes each row of
 * the factor a few times and allocates nothing.
 */
public final class LocalFactors implements FactorSteps {
  private final int rank;
  private final ValueType type;
  private final Mttkrp mttkrp;
  private final FactorRows rows;
  private final List<TensorStorage> factors = new ArrayList<>();
  private final List<TensorStorage> results = new ArrayList<>();

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
  public LocalFactors(
      CpdJob job,
      List<DenseMatrix> initial,
      Mttkrp mttkrp,
      FactorKernels kernels,
      int threads,
      MemoryScope scope) {
    this.rank = job.rank();
    this.type = job.valueType();
    this.mttkrp = mttkrp;
    this.rows = new FactorRows(kernels, rank, threads, scope);
    long most = 0;
    for (DenseMatrix matrix : initial) {
      TensorShape size = TensorShape.of(matrix.rows(), rank);
      TensorStorage factor = TensorStorage.dense(scope, size, type);
      if (type == ValueType.FLOAT) {
        matrix.copyToFloats(factor.vals().address());
      } else {
        matrix.copyTo(factor.vals().address());
      }
      factors.add(factor);
      most = Math.max(most, matrix.rows());
    }
    TensorStorage buffer = TensorStorage.dense(scope, TensorShape.of(most, rank), type);
    for (DenseMatrix matrix : initial) {
      TensorShape size = TensorShape.of(matrix.rows(), rank);
      results.add(TensorStorage.denseView(scope, size, type, buffer.vals().address()));
    }
  }

  /** What MTTKRPs of {@code mode} are written to. */
  public TensorStorage result(int mode) {
    return results.get(mode);
  }

  @Override
  public double[] gram(int mode) {
    return rows.gram(factors.get(mode));
  }

  @Override
  public Sums update(int mode, int sweep, RowUpdate rule, boolean inner) {
    mttkrp.run(mode, sweep, factors, results.get(mode));
    return rows.update(rule, factors.get(mode), results.get(mode), inner);
  }

  @Override
  public DenseMatrix factor(int mode) {
    TensorStorage factor = factors.get(mode);
    DenseMatrix copy = DenseMatrix.zeros(factor.shape().size(0), rank);
    if (type == ValueType.FLOAT) {
      copy.copyFromFloats(factor.vals().address());
    } else {
      copy.copyFrom(factor.vals().address());
    }
    return copy;
  }
}
