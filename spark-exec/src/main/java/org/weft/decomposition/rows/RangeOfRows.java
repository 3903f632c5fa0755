package org.weft.decomposition.rows;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeMemory;
import org.weft.runtime.Kernel;
import org.weft.runtime.ModeLabel;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Carries out the operations of a {@link Step} on a range of rows that lies in this process. Sums
 * over the rows are returned to the site, which adds up those of all ranges in a fixed order.
 */
public final class RangeOfRows {
  private static final int CHUNK_ROWS = 1024;

  /** Enough for all threads of a kernel. */
  private static final int CHUNK_CELLS = 1 << 20;

  private final Function<String, Kernel> kernels;
  private final int threads;
  private final MemoryScope scope;
  private final Map<String, TensorStorage> tensors;
  private final Set<String> small = new HashSet<>();
  private final Sums sums = new Sums(Map.of());

  /**
   * A range of n rows.
   *
   * @param kernels the kernels by symbol
   * @param threads how many threads a kernel may use
   * @param rows the matrices of the range by name: n x columns
   * @param scope owner of temporary memory
   */
  public RangeOfRows(
      Function<String, Kernel> kernels,
      int threads,
      Map<String, TensorStorage> rows,
      MemoryScope scope) {
    this.kernels = kernels;
    this.threads = threads;
    this.scope = scope;
    this.tensors = new HashMap<>(rows);
  }

  /**
   * Carries out the operations in order, and returns the sums by name.
   *
   * @param matrices the small ones of the step by name
   */
  public Sums run(List<RowOperation> operations, Map<String, SmallMatrix> matrices) {
    matrices.forEach((name, matrix) -> tensors.put(name, matrix.storage(scope)));
    small.addAll(matrices.keySet());
    try {
      operations.forEach(this::run);
    } finally {
      small.forEach(name -> tensor(name).close());
    }
    return sums;
  }

  private void run(RowOperation operation) {
    if (operation instanceof RowOperation.Replace replace) {
      replace(replace);
    } else if (operation instanceof RowOperation.Sum sum) {
      sum(sum);
    } else if (operation instanceof Hals hals) {
      hals.run(kernels, tensor(hals.rows()), tensor(hals.data()), threads, scope);
    } else if (operation instanceof Admm admm) {
      TensorStorage dual = tensor(admm.dual());
      admm.run(kernels, tensor(admm.rows()), dual, tensor(admm.data()), threads, scope);
    } else {
      each((RowOperation.Each) operation);
    }
  }

  private TensorStorage tensor(String name) {
    TensorStorage tensor = tensors.get(name);
    if (tensor == null) {
      throw new IllegalArgumentException(name + " is not in " + tensors.keySet());
    }
    return tensor;
  }

  private void replace(RowOperation.Replace replace) {
    TensorStorage rows = tensor(replace.rows());
    if (!replace.operands().containsValue(replace.rows())) {
      if (!kernels.apply(replace.symbol()).signature().overwrites()) {
        rows.clear(threads);
      }
      run(replace.symbol(), replace.operands(), replace.result(), rows);
      return;
    }
    long count = rows.shape().size(0);
    long chunk = Math.min(count, Math.max(CHUNK_ROWS, CHUNK_CELLS / Math.max(1, columns(rows))));
    ValueType type = rows.format().valueType();
    try (TensorStorage made = TensorStorage.dense(scope, rows.shape().with(0, chunk), type)) {
      for (long from = 0; from < count; from += chunk) {
        replaceInPlace(replace, from, Math.min(chunk, count - from), made);
      }
    }
  }

  /**
   * Replaces some rows by what is made of them.
   *
   * @param room for as many rows
   */
  private void replaceInPlace(
      RowOperation.Replace replace, long from, long count, TensorStorage room) {
    try (MemoryScope part = scope.child("rows")) {
      Map<String, TensorStorage> ranges = new HashMap<>(tensors);
      ranges.replaceAll(
          (name, matrix) -> small.contains(name) ? matrix : range(matrix, from, count, part));
      TensorStorage replaced = Objects.requireNonNull(ranges.get(replace.rows()));
      TensorStorage made = range(room, 0, count, part);
      made.clear();
      new RangeOfRows(kernels, threads, ranges, part)
          .run(replace.symbol(), replace.operands(), replace.result(), made);
      long bytes = made.vals().length() * made.vals().type().bytes();
      NativeMemory.copy(made.vals().address(), replaced.vals().address(), bytes);
    }
  }

  /** The rows {@code [from, from + count)} of a matrix, where they lie. */
  public static TensorStorage range(
      TensorStorage matrix, long from, long count, MemoryScope scope) {
    ValueType type = matrix.format().valueType();
    long address = matrix.vals().address() + from * columns(matrix) * type.bytes();
    return TensorStorage.denseView(scope, matrix.shape().with(0, count), type, address);
  }

  private void run(String symbol, Map<String, String> operands, String result, TensorStorage made) {
    Kernel kernel = kernels.apply(symbol);
    Map<String, TensorStorage> bound = new HashMap<>();
    operands.forEach((theirs, ours) -> bound.put(theirs, tensor(ours)));
    bound.put(result, made);
    try (MemoryScope views = scope.child(symbol)) {
      for (TensorParameter parameter : kernel.signature().tensors()) {
        bound.computeIfPresent(parameter.name(), (name, rows) -> viewed(rows, parameter, views));
      }
      kernel.run(bound, Map.of(), scope, threads);
    }
  }

  /** Rows of numbers as rows of several modes, where a kernel that knows their sizes has those. */
  private static TensorStorage viewed(
      TensorStorage rows, TensorParameter parameter, MemoryScope scope) {
    if (parameter.format().order() == rows.shape().order()) {
      return rows;
    }
    List<ModeLabel> labels = parameter.accesses().get(0);
    long[] sizes = labels.stream().mapToLong(ModeLabel::size).toArray();
    sizes[0] = rows.shape().size(0);
    return TensorStorage.denseView(
        scope, TensorShape.of(sizes), rows.format().valueType(), rows.vals().address());
  }

  private void sum(RowOperation.Sum sum) {
    long[] sizes = sum.shape().stream().mapToLong(Integer::longValue).toArray();
    try (TensorStorage made = TensorStorage.dense(scope, TensorShape.of(sizes), ValueType.DOUBLE)) {
      run(sum.symbol(), sum.operands(), sum.result(), made);
      double[] numbers = new double[Math.toIntExact(made.vals().length())];
      NativeMemory.copyToArray(made.vals().address(), numbers, 0, numbers.length);
      sums.byName().put(sum.name(), numbers);
    }
  }

  /**
   * Applies a rule to each row, by chunks that fit a cache. The chunks' sums are added in order.
   */
  private void each(RowOperation.Each each) {
    List<TensorStorage> matrices = each.names().stream().map(this::tensor).toList();
    long rows = matrices.get(0).shape().size(0);
    int chunks = Math.toIntExact((rows + CHUNK_ROWS - 1) / CHUNK_ROWS);
    double[][] partial = new double[chunks][each.sums()];
    IntStream.range(0, chunks)
        .parallel()
        .forEach(
            chunk ->
                each(
                    each,
                    matrices,
                    (long) chunk * CHUNK_ROWS,
                    Math.min(rows, (chunk + 1L) * CHUNK_ROWS),
                    partial[chunk]));
    if (each.sums() > 0) {
      double[] all = new double[each.sums()];
      Arrays.stream(partial)
          .forEach(some -> Arrays.setAll(all, number -> all[number] + some[number]));
      sums.byName().put(each.sum(), all);
    }
  }

  private static void each(
      RowOperation.Each each, List<TensorStorage> matrices, long from, long to, double[] partial) {
    double[][] rows = new double[matrices.size()][];
    Arrays.setAll(rows, m -> new double[columns(matrices.get(m))]);
    for (long row = from; row < to; row++) {
      for (int m = 0; m < rows.length; m++) {
        int columns = rows[m].length;
        matrices.get(m).vals().getDoubles(row * columns, rows[m], 0, columns);
      }
      each.rule().apply(rows, partial);
      for (int m = 0; m < each.written(); m++) {
        int columns = rows[m].length;
        matrices.get(m).vals().setDoubles(row * columns, rows[m], 0, columns);
      }
    }
  }

  /** How many numbers a row has: the product of the sizes of all modes but the first. */
  public static int columns(TensorStorage matrix) {
    long columns = 1;
    for (int mode = 1; mode < matrix.shape().order(); mode++) {
      columns *= matrix.shape().size(mode);
    }
    return Math.toIntExact(columns);
  }
}
