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
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.spark.resident.FactorBlocks;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.resident.TaskMemory;
import org.weft.spark.wire.Sent;
import org.weft.tensor.TensorFormat;
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
  StepPart run(int range, int partition, TensorStorage made) {
    try (made) {
      return run(range, partition, new HashMap<>(Map.of(product, matrix(made))));
    }
  }

  /** A result's rows as rows of numbers, whatever its modes. */
  static TensorStorage matrix(TensorStorage made) {
    long rows = made.shape().size(0);
    long columns = rows == 0 ? 0 : made.vals().length() / rows;
    return TensorStorage.denseView(
        TaskMemory.ofTask().scope(),
        TensorShape.of(rows, columns),
        made.format().valueType(),
        made.vals().address());
  }

  private StepPart run(int range, int partition, Map<String, TensorStorage> made) {
    try (MemoryScope scope = TaskMemory.ofTask().scope().child("step on rows")) {
      Sums sums = run(scope, starts[range], starts[range + 1], made);
      written.forEach(
          (name, target) -> FactorBlocks.put(target.space(), range, tensor(made, name)));
      return new StepPart(range, partition, sums, FactorBlocks.here());
    }
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
          TensorFormat format = TensorFormat.dense(2, version.type());
          TensorStorage rows = TensorStorage.denseUninitialized(scope, shape, format);
          version.copy(from, to, rows.vals().address());
          tensors.put(name, rows);
        });
    written.forEach(
        (name, target) ->
            tensors.computeIfAbsent(
                name,
                key -> {
                  TensorShape shape = TensorShape.of(to - from, target.columns());
                  TensorFormat format = TensorFormat.dense(2, target.type());
                  return TensorStorage.denseUninitialized(scope, shape, format);
                }));
    return new RangeOfRows(this::kernel, threads, tensors, scope).run(operations, small);
  }

  private Kernel kernel(String symbol) {
    KernelImage library = image.value();
    return LOADED.computeIfAbsent(
        library.sha256() + symbol,
        key -> Kernel.of(KernelLibrary.open(library), library, symbol).reproducible());
  }
}
