package org.weft.decomposition.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.runtime.BoundKernel;
import org.weft.runtime.Kernel;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * A block of rows that {@link Hals} updates while the block lies in a cache. The block stores the
 * columns of A and M as rows of memory, so that an update of a component runs along memory. With
 * {@code u_r = m_r / v_rr} the update of a component is two kernels:
 *
 * <pre>
 * w   = sum_s a_s parts(r,s)
 * a_r = max(0, u_r - w)
 * </pre>
 */
final class HalsBlock implements AutoCloseable {
  /**
   * An update on its way: its kernels, and its numbers off the heap.
   *
   * @param weights 1 x R
   * @param shares 1 x R
   * @param parts R x R
   * @param scope owner of the numbers and of what blocks need
   */
  record Update(
      Hals.Symbols symbols,
      Function<String, Kernel> kernels,
      TensorStorage weights,
      TensorStorage shares,
      TensorStorage parts,
      MemoryScope scope) {
    static Update of(Hals hals, Function<String, Kernel> kernels, MemoryScope scope) {
      int rank = hals.weights().length;
      return new Update(
          hals.symbols(),
          kernels,
          new SmallMatrix(1, rank, hals.weights()).storage(scope),
          new SmallMatrix(1, rank, hals.shares()).storage(scope),
          new SmallMatrix(rank, rank, hals.parts()).storage(scope),
          scope);
    }

    int rank() {
      return Math.toIntExact(parts.shape().size(0));
    }
  }

  private final Update update;
  private final int rank;
  private final long count;
  private final MemoryScope scope;
  private final TensorStorage oldColumns;
  private final TensorStorage dataColumns;
  private final TensorStorage sum;
  private final TensorStorage weights;
  private final TensorStorage shares;
  private final List<BoundKernel> steps = new ArrayList<>();

  /** How many doubles a block of {@code rows} rows takes: columns of A, columns of M, and w. */
  static long numbers(int rank, long rows) {
    return (2L * rank + 1) * rows;
  }

  /**
   * Binds the kernels to a block.
   *
   * @param count the number of rows
   * @param space memory of {@link #numbers} doubles, which the caller owns
   */
  HalsBlock(Update update, long count, NativeArray space) {
    this.update = update;
    this.rank = update.rank();
    this.count = count;
    this.scope = update.scope().child("block");
    long bytes = count * Double.BYTES;
    oldColumns = view(space.address(), rank, count);
    dataColumns = view(space.address() + rank * bytes, rank, count);
    sum = view(space.address() + 2 * rank * bytes, count);
    weights = view(update.weights().vals().address(), rank);
    shares = view(update.shares().vals().address(), rank);
    for (int r = 0; r < rank; r++) {
      long part = update.parts().vals().address() + (long) r * rank * Double.BYTES;
      Map<String, TensorStorage> summed = Map.of("T", oldColumns, "v", view(part, rank), "w", sum);
      Map<String, TensorStorage> bounded =
          Map.of(
              "u", view(dataColumns.vals().address() + r * bytes, count),
              "w", sum,
              "a", view(oldColumns.vals().address() + r * bytes, count));
      steps.add(kernel(update.symbols().sum()).bind(summed, 1));
      steps.add(kernel(update.symbols().bounded()).bind(bounded, 1));
    }
  }

  private Kernel kernel(String symbol) {
    return update.kernels().apply(symbol);
  }

  private TensorStorage view(long address, long... sizes) {
    return TensorStorage.denseView(scope, TensorShape.of(sizes), ValueType.DOUBLE, address);
  }

  /**
   * Updates the rows of A from {@code row} on.
   *
   * @param a all rows of A
   * @param m all rows of M
   */
  void update(TensorStorage a, TensorStorage m, long row) {
    try (TensorStorage old = rows(a, row);
        TensorStorage data = rows(m, row)) {
      run(update.symbols().columns(), Map.of("T", oldColumns, "A", old, "v", weights));
      run(update.symbols().columns(), Map.of("T", dataColumns, "A", data, "v", shares));
      for (int step = 0; step < steps.size(); step++) {
        if (step % 2 == 0) {
          NativeMemory.fill(sum.vals().address(), sum.vals().byteSize(), (byte) 0);
        }
        steps.get(step).run();
      }
      run(update.symbols().rows(), Map.of("A", old, "T", oldColumns));
    }
  }

  private TensorStorage rows(TensorStorage matrix, long row) {
    NativeArray values = matrix.vals();
    long address = values.address() + row * rank * values.type().bytes();
    ValueType type = matrix.format().valueType();
    return TensorStorage.denseView(scope, TensorShape.of(count, rank), type, address);
  }

  private void run(String symbol, Map<String, TensorStorage> bound) {
    kernel(symbol).run(bound, Map.of(), scope, 1);
  }

  @Override
  public void close() {
    steps.forEach(BoundKernel::close);
    scope.close();
  }
}
