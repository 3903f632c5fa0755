package org.weft.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.apache.spark.api.java.JavaSparkContext;
import org.weft.memory.MemoryScope;
import org.weft.planner.JobPlan;
import org.weft.planner.KernelPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.Operand;
import org.weft.planner.PartitionCosts;
import org.weft.planner.SliceRange;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelLibrary;
import org.weft.spark.cpd.OffHeapUpdates;
import org.weft.spark.metrics.KernelMetrics;
import org.weft.spark.metrics.TaskMeasurement;
import org.weft.spark.resident.HeldPartitions;
import org.weft.spark.resident.ResidentMemory;
import org.weft.spark.resident.ResidentPartition;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * MTTKRPs of a decomposition whose partitions all live in the driver's process: their kernels run
 * one after another, each on all cores, on factors that they share and into rows of one result. No
 * Spark job, no copy. Pieces of a split slice have rows of their own, added in partition order.
 *
 * <p>Nothing can get lost here that the driver would outlive. A run ends early when its thread is
 * interrupted or the Spark context stops.
 */
final class InProcessTensor implements OffHeapUpdates.Mttkrp, AutoCloseable {
  private final JavaSparkContext context;
  private final PlanRunner runner;
  private final JobPlan plan;
  private final JobClock clock;
  private final List<HeldPartitions> held;
  private final MemoryScope scope;
  private final boolean reproducible;
  private final Map<Integer, Pass> passes = new HashMap<>();

  /** A mode's kernel, and where each partition's rows go. */
  private record Pass(
      ModePlan plan, Kernel kernel, double flopsPerEntry, List<TensorStorage> rows) {}

  private InProcessTensor(
      JavaSparkContext context,
      PlanRunner runner,
      JobPlan plan,
      JobClock clock,
      List<HeldPartitions> held,
      MemoryScope scope,
      boolean reproducible) {
    this.context = context;
    this.runner = runner;
    this.plan = plan;
    this.clock = clock;
    this.held = held;
    this.scope = scope;
    this.reproducible = reproducible;
  }

  /**
   * Holds the partitions of all modes.
   *
   * @param scope owner of temporaries, which the caller closes after this
   * @param reproducible whether results are the same bits for every number of threads
   * @return empty if a partition is in another process
   */
  static Optional<InProcessTensor> open(
      JavaSparkContext context,
      PlanRunner runner,
      JobPlan plan,
      JobClock clock,
      MemoryScope scope,
      boolean reproducible) {
    List<HeldPartitions> held = new ArrayList<>();
    boolean complete = false;
    try {
      for (ModePlan pass : plan.modes()) {
        Optional<HeldPartitions> partitions = HeldPartitions.of(runner.resident(pass));
        if (partitions.isEmpty()) {
          return Optional.empty();
        }
        held.add(partitions.get());
      }
      complete = true;
    } finally {
      if (!complete) {
        held.forEach(HeldPartitions::close);
      }
    }
    return Optional.of(
        new InProcessTensor(context, runner, plan, clock, held, scope, reproducible));
  }

  @Override
  public void run(int mode, int sweep, List<TensorStorage> factors, TensorStorage result) {
    long start = System.nanoTime();
    if (Thread.currentThread().isInterrupted() || context.sc().isStopped()) {
      throw new CancellationException("the decomposition was cancelled in iteration " + sweep);
    }
    Pass pass = passes.computeIfAbsent(mode, m -> pass(m, result));
    List<ResidentPartition> partitions = held.get(mode).partitions();
    for (int number = 0; number < partitions.size(); number++) {
      run(pass, mode, number, factors);
      addPiece(pass, partitions.get(number), result);
    }
    runner.ran(pass.plan(), System.nanoTime() - start);
  }

  private void run(Pass pass, int mode, int number, List<TensorStorage> factors) {
    ResidentPartition partition = held.get(mode).partitions().get(number);
    TensorStorage rows = pass.rows().get(number);
    rows.clear();
    if (partition.storedEntries() == 0) {
      return;
    }
    KernelPlan kernel = pass.plan().kernel();
    Map<String, TensorStorage> bound = new HashMap<>();
    bound.put(kernel.tensor(), held.get(mode).storage(number));
    bound.put(kernel.result(), rows);
    long bytes = partition.byteSize() + rows.byteSize();
    for (Operand operand : kernel.operands()) {
      bound.put(operand.name(), factors.get(operand.mode()));
      bytes += factors.get(operand.mode()).byteSize();
    }
    long start = System.nanoTime();
    pass.kernel().run(bound, Map.of(), scope, plan.resources().kernelThreads());
    TaskMeasurement measurement =
        TaskMeasurement.of(
            "kernel",
            number,
            System.nanoTime() - start,
            partition.storedEntries(),
            Math.round(partition.storedEntries() * pass.flopsPerEntry()),
            bytes);
    clock.measurements().add(measurement);
    KernelMetrics.ofProcess(ResidentMemory.PROCESS::liveBytes)
        .record(plan.job().name(), measurement);
  }

  /** Adds the row of a slice's second or later piece to the result, which has the first. */
  private static void addPiece(Pass pass, ResidentPartition partition, TensorStorage result) {
    SliceRange range = partition.range();
    if (range.piece() == 0) {
      return;
    }
    TensorStorage row = pass.rows().get(partition.partition());
    long columns = row.shape().size(1);
    for (long at = 0; at < row.vals().length(); at++) {
      long into = range.from() * columns + at;
      result.vals().setDouble(into, result.vals().getDouble(into) + row.vals().getDouble(at));
    }
  }

  private Pass pass(int mode, TensorStorage result) {
    ModePlan pass = plan.modes().get(mode);
    long columns = result.shape().size(1);
    List<TensorStorage> rows = new ArrayList<>();
    for (SliceRange range : pass.partitioning().ranges()) {
      TensorShape shape = TensorShape.of(range.slices(), columns);
      rows.add(
          range.piece() == 0
              ? TensorStorage.denseView(
                  scope,
                  shape,
                  result.format().valueType(),
                  result.vals().address() + range.from() * columns * Double.BYTES)
              : TensorStorage.dense(scope, shape, result.format().valueType()));
    }
    double entries = pass.partitions().stream().mapToDouble(PartitionCosts::entries).sum();
    double flops = pass.partitions().stream().mapToDouble(PartitionCosts::flops).sum();
    try (KernelLibrary library = KernelLibrary.open(plan.image())) {
      Kernel kernel = Kernel.of(library, plan.image().signature(pass.kernel().request().symbol()));
      Kernel called = reproducible ? kernel.reproducible() : kernel;
      return new Pass(pass, called, entries == 0 ? 0 : flops / entries, rows);
    }
  }

  @Override
  public void close() {
    held.forEach(HeldPartitions::close);
  }
}
