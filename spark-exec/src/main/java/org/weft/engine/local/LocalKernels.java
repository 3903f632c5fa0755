package org.weft.engine.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.weft.engine.JobClock;
import org.weft.engine.TaskMeasurement;
import org.weft.memory.MemoryScope;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.kernel.Operand;
import org.weft.planner.partition.SliceRange;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelLibrary;
import org.weft.runtime.MatrixCopies;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Passes with dense results whose partitions all lie in this process: their kernels run one after
 * another, each on all threads, on operands that they share and into rows of one result. No copy.
 * Pieces of a split slice have rows of their own, added in partition order.
 *
 * <p>Kernels on panels of columns read copies of the operands, of which one is made again when the
 * operand has changed: after the pass whose result it is made of.
 *
 * <p>Where the modes share one form, kernels of other modes than its root add to rows all over the
 * result. Several of them then run at a time, each on one thread and with a result of its own: one
 * for each group of partitions ({@link PrivateResults}). A run ends early when its thread is
 * interrupted.
 */
final class LocalKernels {
  private final LocalTensor tensor;
  private final JobPlan plan;
  private final JobClock clock;
  private final MemoryScope scope;
  private final Workers workers;
  private final boolean reproducible;
  private final PrivateResults results;
  private final Map<Bound, Pass> passes = new HashMap<>();
  private final Map<Copied, TensorStorage> copies = new HashMap<>();
  private final Set<Copied> current = new HashSet<>();

  /** The operand at an address in the format in which kernels want it. */
  private record Copied(long address, TensorFormat format) {}

  /** A kernel on operands and a result at these addresses. */
  private record Bound(String symbol, List<Long> addresses) {
    static Bound of(String symbol, List<TensorStorage> operands, TensorStorage result) {
      return new Bound(
          symbol,
          Stream.concat(operands.stream(), Stream.of(result))
              .map(storage -> storage.vals().address())
              .toList());
    }
  }

  /**
   * A mode's kernel and what it is bound to.
   *
   * @param parts the packed partitions
   * @param rows where each partition's rows go
   * @param results of groups, the first the whole one; empty where rows have their place in it
   * @param threads of a call
   */
  private record Pass(
      ModePlan plan,
      Kernel kernel,
      double flopsPerEntry,
      List<FormParts.Part> parts,
      List<Map<String, TensorStorage>> operands,
      List<TensorStorage> rows,
      List<TensorStorage> results,
      int threads) {}

  /**
   * @param scope owner of temporaries, which the caller closes after this
   * @param reproducible whether results are the same bits for every number of threads
   */
  LocalKernels(
      LocalTensor tensor,
      JobPlan plan,
      JobClock clock,
      Workers workers,
      MemoryScope scope,
      boolean reproducible) {
    this.tensor = tensor;
    this.plan = plan;
    this.clock = clock;
    this.workers = workers;
    this.scope = scope;
    this.reproducible = reproducible;
    List<ModePlan> grouped = plan.modes().stream().filter(this::isGrouped).toList();
    this.results =
        new PrivateResults(
            grouped.stream().mapToLong(pass -> (long) pass.resultShape().cells()).max().orElse(0),
            grouped.stream().mapToInt(ModePlan::groups).max().orElse(1),
            plan.job().valueType(),
            workers,
            scope);
  }

  private boolean isGrouped(ModePlan pass) {
    return pass.isGrouped(plan.resources());
  }

  /**
   * Runs a pass.
   *
   * @param operands by mode; borrowed; unchanged since the call before but for those of which
   *     {@link #changed} was told
   * @param result to be overwritten
   */
  void run(ModePlan plan, List<TensorStorage> operands, TensorStorage result) {
    long start = System.nanoTime();
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException(plan.kernel().request().symbol() + " was cancelled");
    }
    String symbol = plan.kernel().request().symbol();
    Pass pass =
        passes.computeIfAbsent(
            Bound.of(symbol, operands, result), bound -> pass(plan, operands, result));
    copy(pass, operands);
    if (pass.results().isEmpty()) {
      for (int number = 0; number < pass.parts().size(); number++) {
        pass.rows().get(number).clear(pass.threads());
        run(pass, number, pass.parts().size()).ifPresent(clock.measurements()::add);
        addPiece(pass, number, result);
      }
    } else if (reproducible) {
      runInOrder(pass);
    } else {
      workers
          .each(plan.groups(), group -> runGroup(pass, group))
          .forEach(measurements -> measurements.forEach(clock.measurements()::add));
      results.addUp(pass.results());
    }
    clock.ran(this.plan, plan, System.nanoTime() - start);
  }

  /** The operand at {@code address} has other values now. */
  void changed(long address) {
    current.removeIf(copied -> copied.address() == address);
  }

  /** Brings the copies up to date that kernels read instead of operands. */
  private void copy(Pass pass, List<TensorStorage> operands) {
    MatrixCopies copied = pass.kernel().copies();
    for (Operand operand :
        copied.isEmpty() ? List.<Operand>of() : pass.plan().kernel().operands()) {
      TensorStorage matrix = operands.get(operand.mode());
      Copied key = new Copied(matrix.vals().address(), copied.format(operand.name()));
      if (!current.contains(key)) {
        TensorStorage copy = Objects.requireNonNull(copies.get(key));
        copied.copy(operand.name(), matrix, copy, scope, pass.threads());
        current.add(key);
      }
    }
  }

  private List<TaskMeasurement> runGroup(Pass pass, int group) {
    pass.results().get(group).clear(1);
    List<TaskMeasurement> measurements = new ArrayList<>();
    int end = pass.plan().groupStart(group + 1);
    for (int number = pass.plan().groupStart(group); number < end; number++) {
      run(pass, number, end).ifPresent(measurements::add);
    }
    return measurements;
  }

  /**
   * Adds up the results of partitions in their order, as executors do: those of some at a time, the
   * first of which is the whole result.
   */
  private void runInOrder(Pass pass) {
    int partitions = pass.parts().size();
    for (int done = 0; done < partitions; ) {
      int first = done;
      int kept = first == 0 ? 0 : 1;
      int count = Math.min(partitions - first, pass.results().size() - kept);
      workers
          .each(count, number -> runAlone(pass, first + number))
          .forEach(measured -> measured.ifPresent(clock.measurements()::add));
      results.addUp(pass.results().subList(0, kept + count));
      done += count;
    }
  }

  private Optional<TaskMeasurement> runAlone(Pass pass, int number) {
    pass.rows().get(number).clear(1);
    return run(pass, number, number + 1);
  }

  /**
   * Runs a kernel on a partition. What lies in files is read ahead by one partition, and leaves the
   * process behind the kernel.
   *
   * @param end of the partitions of this thread
   */
  private Optional<TaskMeasurement> run(Pass pass, int number, int end) {
    if (number + 1 < end) {
      pass.parts().get(number + 1).memory().fetch();
    }
    try {
      return run(pass, number);
    } finally {
      pass.parts().get(number).memory().evict();
    }
  }

  private Optional<TaskMeasurement> run(Pass pass, int number) {
    TensorStorage part = pass.parts().get(number).storage();
    if (part.storedEntries() == 0) {
      return Optional.empty();
    }
    KernelPlan kernel = pass.plan().kernel();
    Map<String, TensorStorage> bound = new HashMap<>(pass.operands().get(number));
    bound.put(kernel.tensor(), part);
    bound.put(kernel.result(), pass.rows().get(number));
    long bytes = bound.values().stream().mapToLong(TensorStorage::byteSize).sum();
    long start = System.nanoTime();
    pass.kernel().run(bound, Map.of(), scope, pass.threads());
    return Optional.of(
        TaskMeasurement.of(
            "kernel",
            number,
            System.nanoTime() - start,
            part.storedEntries(),
            Math.round(part.storedEntries() * pass.flopsPerEntry()),
            bytes));
  }

  /** Adds the row of a slice's second or later piece to the result, which has the first. */
  private static void addPiece(Pass pass, int number, TensorStorage result) {
    SliceRange range = pass.parts().get(number).range();
    if (range.piece() == 0) {
      return;
    }
    TensorStorage row = pass.rows().get(number);
    long from = range.from() * rowCells(result);
    for (long at = 0; at < row.vals().length(); at++) {
      result
          .vals()
          .setDouble(from + at, result.vals().getDouble(from + at) + row.vals().getDouble(at));
    }
  }

  private static long rowCells(TensorStorage rows) {
    long cells = 1;
    for (int mode = 1; mode < rows.shape().order(); mode++) {
      cells *= rows.shape().size(mode);
    }
    return cells;
  }

  private Pass pass(ModePlan pass, List<TensorStorage> factors, TensorStorage result) {
    List<TensorStorage> groups = isGrouped(pass) ? results.of(result, pass.groups()) : List.of();
    Kernel kernel = kernel(pass.kernel());
    List<FormParts.Part> parts = tensor.parts(pass.form());
    List<Map<String, TensorStorage>> operands = new ArrayList<>();
    List<TensorStorage> rows = new ArrayList<>();
    for (FormParts.Part part : parts) {
      operands.add(operands(pass.kernel(), kernel.copies(), part.range(), factors));
      if (groups.isEmpty()) {
        rows.add(rows(result, part.range()));
      }
    }
    for (int number = 0; number < parts.size() && !groups.isEmpty(); number++) {
      rows.add(groups.get(reproducible ? inOrder(number, groups.size()) : groupOf(number, pass)));
    }
    int threads = groups.isEmpty() ? plan.resources().kernelThreads() : 1;
    return new Pass(pass, kernel, pass.flopsPerEntry(), parts, operands, rows, groups, threads);
  }

  /** Which result a partition adds to: the first keeps the sum, the others come in turn. */
  private static int inOrder(int partition, int results) {
    return partition < results ? partition : 1 + (partition - results) % (results - 1);
  }

  private static int groupOf(int partition, ModePlan pass) {
    int group = 0;
    while (pass.groupStart(group + 1) <= partition) {
      group++;
    }
    return group;
  }

  /** The place of a partition's rows in the result, or one of its own for later pieces. */
  private TensorStorage rows(TensorStorage result, SliceRange range) {
    return range.piece() == 0
        ? slices(result, range)
        : TensorStorage.dense(
            scope, result.shape().with(0, range.slices()), result.format().valueType());
  }

  /** A kernel of the plan's image. */
  Kernel kernel(KernelPlan wanted) {
    try (KernelLibrary library = KernelLibrary.open(plan.image())) {
      Kernel kernel = Kernel.of(library, plan.image(), wanted.request().symbol());
      return reproducible ? kernel.reproducible() : kernel;
    }
  }

  /** The operands of a kernel on the partition of {@code range}. */
  Map<String, TensorStorage> operands(
      KernelPlan kernel, MatrixCopies copied, SliceRange range, List<TensorStorage> byMode) {
    Map<String, TensorStorage> bound = new HashMap<>();
    for (Operand operand : kernel.operands()) {
      TensorStorage matrix = byMode.get(operand.mode());
      bound.put(
          operand.name(),
          kernel.isSliced(operand)
              ? slices(matrix, range)
              : copied.isEmpty() ? matrix : copyOf(matrix, operand, copied));
    }
    return bound;
  }

  private TensorStorage copyOf(TensorStorage matrix, Operand operand, MatrixCopies copied) {
    return copies.computeIfAbsent(
        new Copied(matrix.vals().address(), copied.format(operand.name())),
        key -> TensorStorage.dense(scope, matrix.shape(), key.format()));
  }

  /** The rows of a matrix, or cells of a vector, that belong to the slices of {@code range}. */
  private TensorStorage slices(TensorStorage matrix, SliceRange range) {
    TensorShape shape = matrix.shape().with(0, range.slices());
    long bytes = rowCells(matrix) * matrix.format().valueType().bytes();
    return TensorStorage.denseView(
        scope, shape, matrix.format().valueType(), matrix.vals().address() + range.from() * bytes);
  }
}
