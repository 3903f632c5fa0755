package org.weft.decomposition.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.runtime.Kernel;
import org.weft.tensor.TensorStorage;

/**
 * One update of a nonnegative factor A (I x R) by hierarchical alternating least squares (Cichocki
 * and Phan 2009, algorithm 2). For each component r in turn, the column a_r becomes
 *
 * <pre>
 * a_r = max(0, a_r + (m_r - A v_r) / v_rr)
 * </pre>
 *
 * <p>This column is the exact minimiser while the other columns are fixed. M (I x R) is the MTTKRP
 * of the mode, and V (R x R) is the matrix of the normal equations. The lower bound is {@code 1e-16
 * m_r / v_rr} instead of 0 where this is positive, so that a component whose numbers all became 0
 * can come back, whatever the scale of the tensor.
 *
 * <p>The update takes O(I R^2) operations. The rows are divided among threads, and each thread goes
 * through its rows in blocks ({@link HalsBlock}). {@link RowAlgebra#hals} makes the update and
 * lists its kernels.
 *
 * @param rows name of A in the step
 * @param data name of the MTTKRP M in the step; the update only reads M
 * @param weights factor of each column of A before the update
 * @param shares factor of each column of M; it contains the division by v_rr
 * @param parts R x R, row-major: number s of row r is {@code v_sr / v_rr}, and 0 on the diagonal
 */
@SuppressWarnings("ArrayRecordComponent")
public record Hals(
    Symbols symbols, String rows, String data, double[] weights, double[] shares, double[] parts)
    implements RowOperation {
  private static final int BLOCK_NUMBERS = 1 << 14;
  private static final int LINE_NUMBERS = 8;

  /**
   * The symbols of the four kernels.
   *
   * @param columns transposes and scales: {@code T(r,i) = A(i,r) * v(r)}
   * @param sum adds up weighted columns: {@code w(i) = T(s,i) * v(s)}
   * @param bounded subtracts and bounds from below: {@code a(i) = max(0, u(i) - w(i))}
   * @param rows transposes back: {@code A(i,r) = T(r,i)}
   */
  public record Symbols(String columns, String sum, String bounded, String rows)
      implements java.io.Serializable {}

  /**
   * Makes the update for given normal equations. A component with {@code v_rr = 0} keeps its
   * column.
   *
   * @param weights factor of each column of A before the update
   * @param others factor of each column of M in the normal equations
   * @param v the Hadamard product of the other factors' Gram matrices: R x R, row-major
   */
  static Hals of(
      Symbols symbols, String rows, String data, double[] weights, double[] others, double[] v) {
    int rank = weights.length;
    double[] shares = new double[rank];
    double[] parts = new double[rank * rank];
    for (int r = 0; r < rank; r++) {
      double diagonal = v[r * rank + r];
      for (int s = 0; diagonal > 0 && s < rank; s++) {
        parts[r * rank + s] = s == r ? 0 : v[s * rank + r] / diagonal;
      }
      shares[r] = diagonal > 0 ? others[r] / diagonal : 0;
      parts[r * rank + r] = diagonal > 0 ? 0 : -1;
    }
    return new Hals(symbols, rows, data, weights, shares, parts);
  }

  @Override
  public List<String> reads() {
    return List.of(rows, data);
  }

  @Override
  public List<String> writes() {
    return List.of(rows);
  }

  /**
   * The number of rows of a block. It is an odd multiple of a cache line, so that the columns of a
   * block do not compete for the same sets of the cache.
   */
  private int blockRows() {
    return (BLOCK_NUMBERS / weights.length / LINE_NUMBERS | 1) * LINE_NUMBERS;
  }

  /**
   * Updates all rows of A.
   *
   * @param kernels the kernels by symbol
   * @param a A, I x R
   * @param m M, I x R
   * @param threads how many threads may work at a time
   * @param scope owner of temporary memory: {@code (2 R + 1)} numbers a row of a block and thread
   */
  void run(
      Function<String, Kernel> kernels,
      TensorStorage a,
      TensorStorage m,
      int threads,
      MemoryScope scope) {
    long count = a.shape().size(0);
    int workers = (int) Math.max(1, Math.min(threads, count / blockRows()));
    try (MemoryScope own = scope.child("hals")) {
      HalsBlock.Update update = HalsBlock.Update.of(this, kernels, own);
      List<NativeArray> spaces = new ArrayList<>();
      for (int worker = 0; worker < workers; worker++) {
        spaces.add(own.allocate(ElementType.F64, HalsBlock.numbers(weights.length, blockRows())));
      }
      IntStream.range(0, workers)
          .parallel()
          .forEach(
              worker -> {
                long to = count * (worker + 1) / workers;
                run(update, a, m, count * worker / workers, to, spaces.get(worker));
              });
    }
  }

  private void run(
      HalsBlock.Update update,
      TensorStorage a,
      TensorStorage m,
      long from,
      long to,
      NativeArray space) {
    int blockRows = blockRows();
    long whole = from + (to - from) / blockRows * blockRows;
    try (HalsBlock block = new HalsBlock(update, blockRows, space)) {
      for (long row = from; row < whole; row += blockRows) {
        block.update(a, m, row);
      }
    }
    if (whole < to) {
      try (HalsBlock rest = new HalsBlock(update, to - whole, space)) {
        rest.update(a, m, whole);
      }
    }
  }
}
