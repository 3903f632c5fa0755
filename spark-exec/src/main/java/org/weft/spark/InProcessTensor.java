package org.weft.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
import org.weft.runtime.MatrixCopies;
import org.weft.spark.cpd.OffHeapUpdates;
import org.weft.spark.metrics.KernelMetrics;
import org.weft.spark.metrics.TaskMeasurement;
import org.weft.spark.resident.HeldPartitions;
import org.weft.spark.resident.ResidentMemory;
import org.weft.spark.resident.ResidentPartition;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * MTTKRPs of a decomposition whose partitions all live in the driver's process: their kernels run
 * one after another, each on all cores, on factors that they share and into rows of one result. No
 * Spark job, no copy. Pieces of a split slice have rows of their own, added in partition order.
 *
 * <p>Kernels on panels of columns read copies of the factors, of which one is made again when the
 * factor has changed: after the MTTKRP of its mode.
 *
 * <p>Where the modes share one form, kernels of other modes than its root add to rows all over the
 * result. Several of them then run at a time, each on one thread and with a result of its own: one
 * for each group of partitions ({@link PrivateResults}).
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
  private final PrivateResults results;
  private final Map<Integer, Pass> passes = new HashMap<>();
  private final Map<Copied, TensorStorage> copies = new HashMap<>();
  private final Set<Copied> current = new HashSet<>();

  /** A factor in the format in which kernels want it. */
  private record Copied(int mode, TensorFormat format) {}

  /**
   * A mode's kernel and what it is bound to.
   *
   * @param rows where each partition's rows go
   * @param results of groups, the first the whole one; empty where rows have their place in it
   * @param threads of a call
   */
  private record Pass(
      ModePlan plan,
      Kernel kernel,
      double flopsPerEntry,
      List<Map<String, TensorStorage>> operands,
      List<TensorStorage> rows,
      List<TensorStorage> results,
      int threads) {}

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
    List<ModePlan> grouped = plan.modes().stream().filter(this::isGrouped).toList();
    this.results =
        new PrivateResults(
            grouped.stream().mapToLong(pass -> (long) pass.resultShape().cells()).max().orElse(0),
            grouped.stream().mapToInt(ModePlan::groups).max().orElse(1),
            scope);
  }

  private boolean isGrouped(ModePlan pass) {
    return pass.isGrouped(plan.resources());
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
      InProcessTensor made =
          new InProcessTensor(context, runner, plan, clock, held, scope, reproducible);
      complete = true;
      return Optional.of(made);
    } finally {
      if (!complete) {
        held.forEach(HeldPartitions::close);
      }
    }
  }

  @Override
  public void run(int mode, int sweep, List<TensorStorage> factors, TensorStorage result) {
    long start = System.nanoTime();
    if (Thread.currentThread().isInterrupted() || context.sc().isStopped()) {
      throw new CancellationException("the decomposition was cancelled in iteration " + sweep);
    }
    Pass pass = passes.computeIfAbsent(mode, m -> pass(m, factors, result));
    copy(pass, factors);
    // The caller makes another factor of the result.
    current.removeIf(copied -> copied.mode() == mode);
    if (pass.results().isEmpty()) {
      List<ResidentPartition> partitions = held.get(mode).partitions();
      for (int number = 0; number < partitions.size(); number++) {
        pass.rows().get(number).clear();
        run(pass, mode, number).ifPresent(this::measured);
        addPiece(pass, partitions.get(number), result);
      }
    } else {
      int groups = pass.plan().groups();
      results
          .each(groups, group -> runGroup(pass, mode, group))
          .forEach(measurements -> measurements.forEach(this::measured));
      results.addUp(pass.results());
    }
    runner.ran(pass.plan(), System.nanoTime() - start);
  }

  /** Brings the copies up to date that kernels read instead of factors. */
  private void copy(Pass pass, List<TensorStorage> factors) {
    MatrixCopies copied = pass.kernel().copies();
    for (Operand operand :
        copied.isEmpty() ? List.<Operand>of() : pass.plan().kernel().operands()) {
      Copied key = new Copied(operand.mode(), copied.format(operand.name()));
      if (!current.contains(key)) {
        TensorStorage copy = Objects.requireNonNull(copies.get(key));
        copied.copy(operand.name(), factors.get(operand.mode()), copy, scope, pass.threads());
        current.add(key);
      }
    }
  }

  private List<TaskMeasurement> runGroup(Pass pass, int mode, int group) {
    pass.results().get(group).clear(1);
    List<TaskMeasurement> measurements = new ArrayList<>();
    int end = pass.plan().groupStart(group + 1);
    for (int number = pass.plan().groupStart(group); number < end; number++) {
      run(pass, mode, number).ifPresent(measurements::add);
    }
    return measurements;
  }

  private Optional<TaskMeasurement> run(Pass pass, int mode, int number) {
    ResidentPartition partition = held.get(mode).partitions().get(number);
    if (partition.storedEntries() == 0) {
      return Optional.empty();
    }
    KernelPlan kernel = pass.plan().kernel();
    Map<String, TensorStorage> bound = new HashMap<>(pass.operands().get(number));
    bound.put(kernel.tensor(), held.get(mode).storage(number));
    bound.put(kernel.result(), pass.rows().get(number));
    long bytes = partition.byteSize() + pass.rows().get(number).byteSize();
    for (TensorStorage operand : pass.operands().get(number).values()) {
      bytes += operand.byteSize();
    }
    long start = System.nanoTime();
    pass.kernel().run(bound, Map.of(), scope, pass.threads());
    return Optional.of(
        TaskMeasurement.of(
            "kernel",
            number,
            System.nanoTime() - start,
            partition.storedEntries(),
            Math.round(partition.storedEntries() * pass.flopsPerEntry()),
            bytes));
  }

  private void measured(TaskMeasurement measurement) {
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

  private Pass pass(int mode, List<TensorStorage> factors, TensorStorage result) {
    ModePlan pass = plan.modes().get(mode);
    List<TensorStorage> groups = isGrouped(pass) ? results.of(result, pass.groups()) : List.of();
    Kernel kernel = kernel(pass);
    List<Map<String, TensorStorage>> operands = new ArrayList<>();
    List<TensorStorage> rows = new ArrayList<>();
    for (SliceRange range : pass.partitioning().ranges()) {
      operands.add(operands(pass.kernel(), kernel.copies(), range, factors));
      if (groups.isEmpty()) {
        rows.add(
            range.piece() == 0
                ? slices(result, range)
                : TensorStorage.dense(
                    scope,
                    TensorShape.of(range.slices(), result.shape().size(1)),
                    result.format().valueType()));
      }
    }
    for (int group = 0; group < groups.size(); group++) {
      int end = pass.groupStart(group + 1);
      for (int number = pass.groupStart(group); number < end; number++) {
        rows.add(groups.get(group));
      }
    }
    double entries = pass.partitions().stream().mapToDouble(PartitionCosts::entries).sum();
    double flops = pass.partitions().stream().mapToDouble(PartitionCosts::flops).sum();
    int threads = groups.isEmpty() ? plan.resources().kernelThreads() : 1;
    double perEntry = entries == 0 ? 0 : flops / entries;
    return new Pass(pass, kernel, perEntry, operands, rows, groups, threads);
  }

  private Kernel kernel(ModePlan pass) {
    try (KernelLibrary library = KernelLibrary.open(plan.image())) {
      Kernel kernel = Kernel.of(library, plan.image(), pass.kernel().request().symbol());
      return reproducible ? kernel.reproducible() : kernel;
    }
  }

  private Map<String, TensorStorage> operands(
      KernelPlan kernel, MatrixCopies copied, SliceRange range, List<TensorStorage> factors) {
    Map<String, TensorStorage> bound = new HashMap<>();
    for (Operand operand : kernel.operands()) {
      TensorStorage factor = factors.get(operand.mode());
      bound.put(
          operand.name(),
          kernel.isSliced(operand)
              ? slices(factor, range)
              : copied.isEmpty() ? factor : copyOf(factor, operand, copied));
    }
    return bound;
  }

  private TensorStorage copyOf(TensorStorage factor, Operand operand, MatrixCopies copied) {
    return copies.computeIfAbsent(
        new Copied(operand.mode(), copied.format(operand.name())),
        key -> TensorStorage.dense(scope, factor.shape(), key.format()));
  }

  /** The rows of a matrix that belong to the slices of {@code range}. */
  private TensorStorage slices(TensorStorage matrix, SliceRange range) {
    long columns = matrix.shape().size(1);
    return TensorStorage.denseView(
        scope,
        TensorShape.of(range.slices(), columns),
        matrix.format().valueType(),
        matrix.vals().address() + range.from() * columns * Double.BYTES);
  }

  @Override
  public void close() {
    results.close();
    held.forEach(HeldPartitions::close);
  }
}
