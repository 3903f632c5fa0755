package org.weft.decomposition.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.runtime.BoundKernel;
import org.weft.runtime.Kernel;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * One HALS update of the rows of a nonnegative factor A (Cichocki and Phan 2009, algorithm 2): for
 * each component in turn, {@code a_r <- max(0, a_r + (m_r - A v_r) / v_rr)}, the exact minimiser
 * over that column with the others fixed. Where the data speak for a component, 0 is {@code 1e-16},
 * so that a component that loses all of it can come back.
 *
 * <p>Columns of A and M are columns of memory here, a block of rows at a time, which stays in a
 * cache. With {@code u_r = m_r / v_rr} a component is {@code w = sum_s a_s parts(r,s)}, then {@code
 * a_r = max(0, u_r - w)}: two kernels. {@link RowAlgebra#hals} makes it.
 *
 * @param rows name of A
 * @param data name of the MTTKRP M, which stays as it is
 * @param weights what the columns of A are multiplied by
 * @param shares what the columns of M are multiplied by
 * @param parts R x R, row-major: {@code v_sr / v_rr}, without the diagonal
 */
@SuppressWarnings("ArrayRecordComponent")
public record Hals(
    Symbols symbols, String rows, String data, double[] weights, double[] shares, double[] parts)
    implements RowOperation {
  private static final int BLOCK_NUMBERS = 1 << 14;
  private static final int LINE_NUMBERS = 8;

  /**
   * Of the kernels.
   *
   * @param columns {@code T(r,i) = A(i,r) * v(r)}
   * @param sum {@code w(i) = T(s,i) * v(s)}
   * @param bounded {@code a(i) = max(0, u(i) - w(i))}, or a little more than 0
   * @param rows {@code A(i,r) = T(r,i)}
   */
  public record Symbols(String columns, String sum, String bounded, String rows)
      implements java.io.Serializable {}

  /**
   * The update for normal equations. A component without data of its own, {@code v_rr = 0}, stays.
   *
   * @param others what the columns of M are multiplied by in the equations
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

  /** Columns start at odd multiples of a cache line: they do not share the cache's places. */
  private int blockRows() {
    return (BLOCK_NUMBERS / weights.length / LINE_NUMBERS | 1) * LINE_NUMBERS;
  }

  /**
   * Updates the rows.
   *
   * @param kernels by symbol
   * @param scope owner of temporaries
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
      long numbers = (2L * weights.length + 1) * blockRows();
      List<NativeArray> spaces = new ArrayList<>();
      for (int worker = 0; worker < workers; worker++) {
        spaces.add(own.allocate(ElementType.F64, numbers));
      }
      Small small =
          new Small(
              new SmallMatrix(1, weights.length, weights).storage(own),
              new SmallMatrix(1, weights.length, shares).storage(own),
              new SmallMatrix(weights.length, weights.length, parts).storage(own));
      IntStream.range(0, workers)
          .parallel()
          .forEach(
              worker -> {
                long from = count * worker / workers;
                long to = count * (worker + 1) / workers;
                run(kernels, a, m, from, to, small, spaces.get(worker), own);
              });
    }
  }

  private void run(
      Function<String, Kernel> kernels,
      TensorStorage a,
      TensorStorage m,
      long from,
      long to,
      Small small,
      NativeArray space,
      MemoryScope scope) {
    int blockRows = blockRows();
    long whole = from + (to - from) / blockRows * blockRows;
    try (Block block = new Block(kernels, small, blockRows, space, scope)) {
      for (long row = from; row < whole; row += blockRows) {
        block.update(a, m, row);
      }
    }
    if (whole < to) {
      try (Block rest = new Block(kernels, small, to - whole, space, scope)) {
        rest.update(a, m, whole);
      }
    }
  }

  /** The numbers of an update, off the heap. */
  private record Small(TensorStorage weights, TensorStorage shares, TensorStorage parts) {}

  /** Columns of some rows, and the kernels over them. */
  private final class Block implements AutoCloseable {
    private final int rank = weights.length;
    private final Function<String, Kernel> kernels;
    private final long count;
    private final MemoryScope scope;
    private final TensorStorage oldColumns;
    private final TensorStorage dataColumns;
    private final TensorStorage sum;
    private final TensorStorage weightVector;
    private final TensorStorage shareVector;
    private final List<BoundKernel> steps = new ArrayList<>();

    Block(
        Function<String, Kernel> kernels,
        Small small,
        long count,
        NativeArray space,
        MemoryScope parent) {
      this.kernels = kernels;
      this.count = count;
      this.scope = parent.child("block");
      long bytes = count * Double.BYTES;
      oldColumns = view(space.address(), rank, count);
      dataColumns = view(space.address() + rank * bytes, rank, count);
      sum = view(space.address() + 2 * rank * bytes, count);
      weightVector = view(small.weights().vals().address(), rank);
      shareVector = view(small.shares().vals().address(), rank);
      for (int r = 0; r < rank; r++) {
        long part = small.parts().vals().address() + (long) r * rank * Double.BYTES;
        Map<String, TensorStorage> summed =
            Map.of("T", oldColumns, "v", view(part, rank), "w", sum);
        Map<String, TensorStorage> bounded =
            Map.of(
                "u", view(dataColumns.vals().address() + r * bytes, count),
                "w", sum,
                "a", view(oldColumns.vals().address() + r * bytes, count));
        steps.add(kernels.apply(symbols.sum()).bind(summed, 1));
        steps.add(kernels.apply(symbols.bounded()).bind(bounded, 1));
      }
    }

    private TensorStorage view(long address, long... sizes) {
      return TensorStorage.denseView(scope, TensorShape.of(sizes), ValueType.DOUBLE, address);
    }

    void update(TensorStorage a, TensorStorage m, long row) {
      try (TensorStorage old = rows(a, row);
          TensorStorage data = rows(m, row)) {
        run(symbols.columns(), Map.of("T", oldColumns, "A", old, "v", weightVector));
        run(symbols.columns(), Map.of("T", dataColumns, "A", data, "v", shareVector));
        for (int step = 0; step < steps.size(); step++) {
          if (step % 2 == 0) {
            NativeMemory.fill(sum.vals().address(), sum.vals().byteSize(), (byte) 0);
          }
          steps.get(step).run();
        }
        run(symbols.rows(), Map.of("A", old, "T", oldColumns));
      }
    }

    private TensorStorage rows(TensorStorage matrix, long row) {
      NativeArray values = matrix.vals();
      long address = values.address() + row * rank * values.type().bytes();
      ValueType type = matrix.format().valueType();
      return TensorStorage.denseView(scope, TensorShape.of(count, rank), type, address);
    }

    private void run(String symbol, Map<String, TensorStorage> bound) {
      kernels.apply(symbol).run(bound, Map.of(), scope, 1);
    }

    @Override
    public void close() {
      steps.forEach(BoundKernel::close);
      scope.close();
    }
  }
}
