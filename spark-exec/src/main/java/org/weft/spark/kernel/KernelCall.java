package org.weft.spark.kernel;

import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.engine.Measurements;
import org.weft.engine.TaskMeasurement;
import org.weft.memory.MemoryScope;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.NativeRuntime;
import org.weft.spark.metrics.KernelMetrics;
import org.weft.spark.resident.FactorCopy;
import org.weft.spark.resident.ReceivedBytes;
import org.weft.spark.resident.ResidentMemory;
import org.weft.spark.resident.ResidentPartition;
import org.weft.spark.wire.Sent;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * One kernel and what it is applied to, as executors see it: serialisable, small, free of compiler
 * classes.
 *
 * @param operation name for metrics: {@code mttkrp}, {@code ttm}, {@code ttv}
 * @param image the plan's library
 * @param symbol the kernel in it
 * @param tensor name of the sparse operand in the expression
 * @param output name of the result in the expression
 * @param operands the dense operands
 * @param valueType of all tensors of the kernel
 * @param flopsPerEntry floating-point operations per stored entry
 * @param threads threads of one call
 * @param cores of an executor: threads of all calls that run there at a time
 * @param reproducible whether results are the same bits for every number of threads
 */
public record KernelCall(
    String operation,
    Sent<KernelImage> image,
    String symbol,
    String tensor,
    String output,
    List<DenseOperand> operands,
    ValueType valueType,
    double flopsPerEntry,
    int threads,
    int cores,
    boolean reproducible)
    implements Serializable {

  /** Kernels of this process; libraries stay mapped anyway. */
  private static final Map<Loaded, Kernel> LOADED = new ConcurrentHashMap<>();

  /** The same code may serve several signatures: formats that differ in the mode order only. */
  private record Loaded(String identity, KernelSignature signature, boolean reproducible) {}

  public KernelCall {
    operands = List.copyOf(operands);
  }

  /** The running task's binding of the inputs for one partition. Borrowed storages. */
  Map<String, TensorStorage> bind(ResidentPartition partition, Measurements measurements) {
    long start = System.nanoTime();
    long rows = 0;
    Map<String, TensorStorage> bound = new HashMap<>();
    bound.put(tensor, partition.lease());
    for (DenseOperand operand : operands) {
      FactorCopy.Lease lease = operand.lease(partition, valueType);
      bound.put(operand.name(), lease.storage());
      rows += lease.fetchedRows();
    }
    if (rows > 0) {
      long nanos = System.nanoTime() - start;
      measurements.add(
          TaskMeasurement.of(
              "operands", partition.partition(), nanos, rows, 0, ReceivedBytes.take()));
    }
    return bound;
  }

  /**
   * Runs the kernel and reports the call to Spark's metrics.
   *
   * @return the sparse outputs, owned by {@code scope}, and the call's measurement
   */
  Result run(
      ResidentPartition partition,
      Map<String, TensorStorage> bound,
      Map<String, TensorShape> sparseShapes,
      MemoryScope scope) {
    Kernel kernel = kernel();
    long start = System.nanoTime();
    Map<String, TensorStorage> outputs = kernel.run(bound, sparseShapes, scope, threads);
    long nanos = System.nanoTime() - start;
    long bytes = 0;
    for (TensorStorage storage : bound.values()) {
      bytes += storage.byteSize();
    }
    for (TensorStorage storage : outputs.values()) {
      bytes += storage.byteSize();
    }
    long entries = partition.storedEntries();
    TaskMeasurement measurement =
        TaskMeasurement.of(
            "kernel",
            partition.partition(),
            nanos,
            entries,
            Math.round(entries * flopsPerEntry),
            bytes);
    KernelMetrics.ofProcess(ResidentMemory.PROCESS::liveBytes).record(operation, measurement);
    return new Result(outputs, measurement);
  }

  record Result(Map<String, TensorStorage> outputs, TaskMeasurement measurement) {}

  private Kernel kernel() {
    KernelImage library = image.value();
    return LOADED.computeIfAbsent(
        new Loaded(library.identity(), library.signature(symbol), reproducible),
        key -> {
          NativeRuntime.setThreads(cores);
          Kernel kernel = Kernel.of(KernelLibrary.open(library), library, symbol);
          return reproducible ? kernel.reproducible() : kernel;
        });
  }
}
