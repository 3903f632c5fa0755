package org.weft.decomposition;

import java.util.Map;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.runtime.Kernel;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Updates of a range of a factor's rows, or of all, by compiled kernels. Not thread-safe: it has
 * buffers of R x R numbers.
 */
public final class FactorRows {
  private final FactorKernels kernels;
  private final int threads;
  private final MemoryScope scope;
  private final TensorStorage small;
  private final TensorStorage sums;

  /**
   * @param kernels for {@code rank} columns
   * @param threads that a kernel may use
   * @param scope owner of the buffers, which the caller closes
   */
  public FactorRows(FactorKernels kernels, int rank, int threads, MemoryScope scope) {
    this.kernels = kernels;
    this.threads = threads;
    this.scope = scope;
    this.small = TensorStorage.dense(scope, TensorShape.of(rank, rank), ValueType.DOUBLE);
    this.sums = TensorStorage.dense(scope, TensorShape.of(rank), ValueType.DOUBLE);
  }

  /**
   * Replaces rows of a factor, and sums over them.
   *
   * @param factor n x R: the rows as they are, which the new ones replace
   * @param m the same rows of the MTTKRP
   * @param inner whether the inner sums are wanted
   */
  public FactorSteps.Sums update(
      RowUpdate rule, TensorStorage factor, TensorStorage m, boolean inner) {
    if (rule instanceof RowUpdate.LeastSquares leastSquares) {
      set(small.vals(), leastSquares.product());
      factor.clear(threads);
      run(kernels.product(), Map.of("M", m, "P", small, "A", factor));
    } else {
      ((RowUpdate.Nonnegative) rule).applyTo(factor, m);
    }
    return new FactorSteps.Sums(gram(factor), inner ? inner(factor, m) : new double[0]);
  }

  /** {@code A^T A}: R x R, row-major. */
  public double[] gram(TensorStorage factor) {
    small.clear();
    run(kernels.gram(), Map.of("A", factor, "G", small));
    return get(small.vals());
  }

  private double[] inner(TensorStorage factor, TensorStorage m) {
    sums.clear();
    run(kernels.inner(), Map.of("M", m, "A", factor, "d", sums));
    return get(sums.vals());
  }

  private void run(Kernel kernel, Map<String, TensorStorage> bound) {
    kernel.run(bound, Map.of(), scope, threads);
  }

  private static void set(NativeArray values, double[] numbers) {
    for (int i = 0; i < numbers.length; i++) {
      values.setDouble(i, numbers[i]);
    }
  }

  private static double[] get(NativeArray values) {
    double[] numbers = new double[Math.toIntExact(values.length())];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = values.getDouble(i);
    }
    return numbers;
  }
}
