package org.weft.spark.kernel;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.decomposition.rows.RangeOfRows;
import org.weft.decomposition.rows.RowBlocks;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.SmallMatrix;
import org.weft.decomposition.rows.Sums;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeMemory;
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
  public StepPart run(int range) {
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

  /** By blocks of rows that fit a cache, made where they are stored. */
  private StepPart run(int range, int partition, Map<String, TensorStorage> made) {
    long first = starts[range];
    long count = starts[range + 1] - first;
    Map<String, FactorBlocks.Writer> writers = new HashMap<>();
    written.forEach(
        (name, target) -> {
          long rowBytes = (long) target.columns() * target.type().bytes();
          writers.put(name, new FactorBlocks.Writer(target.space(), range, count, rowBytes));
        });
    List<Long> readBytes =
        read.values().stream().map(each -> (long) each.columns() * each.type().bytes()).toList();
    List<Long> writtenBytes =
        written.values().stream().map(each -> (long) each.columns() * each.type().bytes()).toList();
    Sums sums = Sums.zeros(operations);
    for (long row = 0; row < count; ) {
      long end = RowBlocks.end(row, count, readBytes, writtenBytes);
      try (MemoryScope scope = TaskMemory.ofTask().scope().child("step on rows")) {
        Map<String, TensorStorage> rows = new HashMap<>();
        for (Map.Entry<String, TensorStorage> each : made.entrySet()) {
          rows.put(each.getKey(), part(scope, each.getValue(), row, end));
        }
        sums.add(run(scope, first, row, end, rows, writers));
      }
      writers.values().forEach(writer -> writer.written(end));
      row = end;
    }
    return new StepPart(range, partition, sums, FactorBlocks.here());
  }

  private static TensorStorage part(MemoryScope scope, TensorStorage made, long row, long end) {
    long columns = made.shape().size(1);
    ValueType type = made.format().valueType();
    long address = made.vals().address() + row * columns * type.bytes();
    return TensorStorage.denseView(scope, TensorShape.of(end - row, columns), type, address);
  }

  /** Carries the operations out on rows {@code [row, end)} of the range. */
  private Sums run(
      MemoryScope scope,
      long first,
      long row,
      long end,
      Map<String, TensorStorage> rows,
      Map<String, FactorBlocks.Writer> writers) {
    writers.forEach(
        (name, writer) -> {
          Target target = Objects.requireNonNull(written.get(name));
          TensorShape shape = TensorShape.of(end - row, target.columns());
          TensorStorage block =
              TensorStorage.denseView(scope, shape, target.type(), writer.address(row));
          TensorStorage made = rows.put(name, block);
          if (made != null) {
            NativeMemory.copy(
                made.vals().address(), block.vals().address(), block.vals().byteSize());
          }
        });
    read.forEach(
        (name, version) -> {
          TensorStorage block = rows.get(name);
          if (block == null) {
            TensorShape shape = TensorShape.of(end - row, version.columns());
            TensorFormat format = TensorFormat.dense(2, version.type());
            block = TensorStorage.denseUninitialized(scope, shape, format);
            rows.put(name, block);
          }
          version.copy(first + row, first + end, block.vals().address());
        });
    return new RangeOfRows(this::kernel, threads, rows, scope).run(operations, small);
  }

  private Kernel kernel(String symbol) {
    KernelImage library = image.value();
    return LOADED.computeIfAbsent(
        library.identity() + symbol,
        key -> Kernel.of(KernelLibrary.open(library), library, symbol).reproducible());
  }
}
