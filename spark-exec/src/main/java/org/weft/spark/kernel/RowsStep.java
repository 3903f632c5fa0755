package org.weft.spark.kernel;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.decomposition.rows.RangeOfRows;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.SmallMatrix;
import org.weft.decomposition.rows.Sums;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.spark.resident.FactorBlocks;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.resident.TaskMemory;
import org.weft.spark.wire.Sent;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * What tasks do with ranges of rows: the operations of a {@link org.weft.decomposition.rows.Step},
 * after which the rows that were replaced are stored.
 *
 * @param image the plan's library
 * @param small matrices by name
 * @param product name of the rows that a statement makes
 * @param productType of its numbers
 * @param read rows whose values matter, by name
 * @param written rows that are replaced, by name
 * @param starts first row of each range, ascending, and the number of rows
 * @param threads of a kernel
 */
@SuppressWarnings("ArrayRecordComponent")
public record RowsStep(
    Sent<KernelImage> image,
    List<RowOperation> operations,
    Map<String, SmallMatrix> small,
    String product,
    ValueType productType,
    Map<String, FactorVersion> read,
    Map<String, Target> written,
    long[] starts,
    int threads)
    implements Serializable {
  private static final Map<String, Kernel> LOADED = new ConcurrentHashMap<>();

  /**
   * Where rows go.
   *
   * @param space number of their blocks
   */
  public record Target(int columns, ValueType type, long space) implements Serializable {}

  public RowsStep {
    operations = new ArrayList<>(operations);
    small = new HashMap<>(small);
    read = new HashMap<>(read);
    written = new HashMap<>(written);
  }

  /** A range that is not made by a statement. */
  StepPart run(int range) {
    return run(range, range, new HashMap<>());
  }

  /**
   * A range whose rows a statement has made.
   *
   * @param made closed here
   */
  StepPart run(int partition, int range, TensorStorage made) {
    try (made) {
      long rows = starts[range + 1] - starts[range];
      int columns = Math.toIntExact(rows == 0 ? 0 : made.vals().length() / rows);
      Map<String, TensorStorage> tensors = new HashMap<>();
      tensors.put(
          product,
          TensorStorage.denseView(
              TaskMemory.ofTask().scope(),
              TensorShape.of(rows, columns),
              productType,
              made.vals().address()));
      return run(partition, range, tensors);
    }
  }

  private StepPart run(int partition, int range, Map<String, TensorStorage> made) {
    try (MemoryScope scope = TaskMemory.ofTask().scope().child("step on rows")) {
      Sums sums = run(scope, starts[range], starts[range + 1], made);
      written.forEach(
          (name, target) -> FactorBlocks.put(target.space(), range, tensor(made, name)));
      return StepPart.stored(partition, sums, range, FactorBlocks.here());
    }
  }

  /**
   * Finishes a range on the driver, which has added up what several tasks made of it: few rows.
   *
   * @param added its rows of the statement's result, row-major
   * @return the sums; {@code finished} gets the rows that were replaced, by name
   */
  public Sums finish(int range, double[] added, Map<String, double[]> finished) {
    try (MemoryScope scope = MemoryScope.root("rows of split slices", MemorySource.system())) {
      long rows = starts[range + 1] - starts[range];
      TensorShape shape = TensorShape.of(rows, added.length / rows);
      TensorStorage made = TensorStorage.dense(scope, shape, productType);
      for (int i = 0; i < added.length; i++) {
        made.vals().setDouble(i, added[i]);
      }
      Map<String, TensorStorage> tensors = new HashMap<>(Map.of(product, made));
      Sums sums = run(scope, starts[range], starts[range + 1], tensors);
      written.keySet().forEach(name -> finished.put(name, numbers(tensor(tensors, name))));
      return sums;
    }
  }

  /** The numbers of few rows. */
  static double[] numbers(TensorStorage rows) {
    double[] numbers = new double[Math.toIntExact(rows.vals().length())];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = rows.vals().getDouble(i);
    }
    return numbers;
  }

  private static TensorStorage tensor(Map<String, TensorStorage> tensors, String name) {
    TensorStorage tensor = tensors.get(name);
    if (tensor == null) {
      throw new IllegalStateException(name + " is not in " + tensors.keySet());
    }
    return tensor;
  }

  /** Carries the operations out; all rows are in {@code tensors} then. */
  private Sums run(MemoryScope scope, long from, long to, Map<String, TensorStorage> tensors) {
    read.forEach(
        (name, version) -> {
          TensorShape shape = TensorShape.of(to - from, version.columns());
          TensorStorage rows = TensorStorage.dense(scope, shape, version.type());
          version.copy(from, to, rows.vals().address());
          tensors.put(name, rows);
        });
    written.forEach(
        (name, target) ->
            tensors.computeIfAbsent(
                name,
                key ->
                    TensorStorage.dense(
                        scope, TensorShape.of(to - from, target.columns()), target.type())));
    return new RangeOfRows(this::kernel, threads, tensors, scope).run(operations, small);
  }

  private Kernel kernel(String symbol) {
    KernelImage library = image.value();
    return LOADED.computeIfAbsent(
        library.sha256() + symbol,
        key -> Kernel.of(KernelLibrary.open(library), library, symbol).reproducible());
  }
}
