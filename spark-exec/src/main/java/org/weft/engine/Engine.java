package org.weft.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.Method;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.cp.AlternatingLeastSquares;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Site;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.order.RowOwners;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.Planner;
import org.weft.planner.job.Job;
import org.weft.planner.kernel.Operand;
import org.weft.planner.machine.Resources;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * Reads tensors, plans jobs, and runs the plans on a {@link Backend}. The engine owns the compiler,
 * which exists only in the engine's process. Jobs run one at a time.
 *
 * <p>Closing the engine frees all tensors that it read, and closes the backend.
 */
public final class Engine implements AutoCloseable {
  private final Backend backend;
  private final EngineOptions options;
  private final TensorCompiler compiler;
  private final Planner planner;
  private final List<EngineTensor> tensors = new ArrayList<>();
  private @Nullable Draft draft;
  private long draftNanos;

  /** A plan for what was expected, while that was still to come. */
  private record Draft(EngineTensor tensor, Job job, Resources resources, JobPlan plan) {
    boolean isOf(EngineTensor other, Job asked, Resources found) {
      return tensor == other && job.equals(asked) && resources.equals(found);
    }
  }

  /** An engine on {@code backend}, which it owns from now on. */
  public Engine(Backend backend, EngineOptions options) {
    CompilerOptions compilerOptions =
        CompilerOptions.forThisHost()
            .withCheck(options.check())
            .withOptimisation(options.optimisation());
    if (options.compilerCache().isPresent()) {
      compilerOptions = compilerOptions.withCacheDirectory(options.compilerCache().get());
    }
    this.backend = backend;
    this.options = options;
    this.compiler = TensorCompiler.create(compilerOptions);
    this.planner = new Planner(compiler, options.planner());
  }

  /** The compiler, for explanations. Owned by the engine. */
  public TensorCompiler compiler() {
    return compiler;
  }

  /** The planner, for explanations. */
  public Planner planner() {
    return planner;
  }

  /** Files as the engine sees them. */
  public FileAccess files() {
    return backend.files();
  }

  /**
   * Reads a tensor: every byte is parsed once, entries are kept where they were read, statistics
   * come along. The engine frees it when it closes.
   *
   * @throws org.weft.error.WeftException of kind USER or DATA, naming file and line
   */
  public EngineTensor read(String uri, ReadOptions readOptions, ValueType type) {
    ReadOptions stored = readOptions.withStoredOrder(true).withType(type);
    InputPlan plan = TensorFiles.open(files(), uri, stored, backend::splitBytes);
    EngineTensor tensor = backend.read(plan, type);
    tensor.declare(plan.header().shape().isPresent(), plan.header().full());
    tensors.add(tensor);
    return tensor;
  }

  /** Frees a tensor when the engine closes. */
  void closeLater(EngineTensor tensor) {
    tensors.add(tensor);
  }

  /** Takes over a tensor that its backend made of entries; the engine frees it when it closes. */
  public EngineTensor own(EngineTensor tensor) {
    tensor.declare(true, false);
    tensors.add(tensor);
    return tensor;
  }

  /** A tensor of entries of this process; duplicates are summed. */
  public EngineTensor of(String name, TensorShape shape, List<CooBlock> entries, ValueType type) {
    return own(backend.of(name, shape, entries, type));
  }

  /** A tensor of what is made of the entries of another, where they lie. */
  public EngineTensor select(
      EngineTensor tensor, String name, TensorShape shape, EntryBlocks.OfBlock<CooBlock> each) {
    return own(backend.select(tensor, name, shape, tensor.each(each)));
  }

  /** Closes a tensor before the engine is closed. */
  public void release(EngineTensor tensor) {
    tensors.remove(tensor);
    tensor.close();
  }

  /** What a job would do. Compiles the kernels, runs nothing. */
  public JobPlan plan(EngineTensor tensor, Job job) {
    draft(tensor, job);
    Resources found = resources();
    Draft made = draft;
    draft = null;
    return made != null && made.isOf(tensor, job, found) ? made.plan() : plan(tensor, job, found);
  }

  private JobPlan plan(EngineTensor tensor, Job job, Resources found) {
    TensorStatistics known =
        found.executors() == 1
            ? tensor.statistics()
            : tensor.sampledStatistics(options.cluster().isPresent());
    return planner.plan(job, known, found, tensor.storedForm(), tensor.reading());
  }

  /**
   * Plans while executors start: kernels are compiled when they are there, whatever the plan is
   * then.
   */
  private void draft(EngineTensor tensor, Job job) {
    Optional<Resources> expected =
        options.cluster().isPresent() ? Optional.empty() : backend.expected();
    if (expected.isEmpty()) {
      return;
    }
    long start = System.nanoTime();
    try {
      JobPlan plan = plan(tensor, job, expected.get());
      draft = new Draft(tensor, job, expected.get(), plan);
    } catch (WeftException e) {
      draft = null; // the plan says it, if it is still so
    }
    draftNanos = System.nanoTime() - start;
  }

  /** Orders of the coordinates of tensors. */
  public Orders orders() {
    return new Orders(this, backend);
  }

  /** Statements of index notation. */
  public Statements statements() {
    return new Statements(this, backend, options);
  }

  /** What the backend offers, as the planner counts it. */
  public Resources resources() {
    return options.cluster().orElseGet(backend::resources);
  }

  /**
   * Runs a job of one statement, and writes its result.
   *
   * @param factors for each mode whose factor the statement reads, a matrix of mode size x rank; a
   *     vector is a matrix of one column. Processes read the rows that they need.
   * @throws org.weft.error.WeftException {@code SHAPE_MISMATCH}, {@code OUTPUT_EXISTS}, ...
   */
  public JobReport run(
      EngineTensor tensor,
      Job job,
      IntFunction<RowSource> factors,
      OutputTarget out,
      ProgressListener progress) {
    job.checkAppliesTo(tensor.statistics().shape());
    return run(
        tensor,
        job,
        (label, clock) -> {
          JobPlan plan = planned(tensor, job, clock, progress);
          ModePlan pass = plan.only();
          List<RowSource> operands = operands(tensor, pass, factors);
          try (Passes passes = backend.open(tensor, plan, clock)) {
            progress.step("pack " + pass.tensorShape() + " by mode " + root(pass), 1, 3);
            long stored = passes.packed(pass).storedEntries();
            progress.step(job.name() + " and write " + out.uri(), 2, 3);
            passes.write(pass, operands, out);
            progress.step("done", 3, 3);
            return clock.report(job, stored, pass.partitioning().partitions());
          }
        });
  }

  private static List<RowSource> operands(
      EngineTensor tensor, ModePlan pass, IntFunction<RowSource> factors) {
    List<RowSource> operands = new ArrayList<>();
    for (Operand operand : pass.kernel().operands()) {
      RowSource matrix = factors.apply(operand.mode());
      requireShape(operand, tensor.statistics().shape(), matrix);
      operands.add(matrix);
    }
    return operands;
  }

  /**
   * Checks a matrix against the operand it is meant for.
   *
   * @throws WeftException {@code SHAPE_MISMATCH}
   */
  private static void requireShape(Operand operand, TensorShape tensor, RowSource matrix) {
    int columns = Math.max(1, operand.columns());
    if (matrix.rows() != tensor.size(operand.mode()) || matrix.columns() != columns) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          String.format(
              Locale.ROOT,
              "operand %s belongs to mode %d: expected %d x %d, found %d x %d",
              operand.name(),
              operand.mode(),
              tensor.size(operand.mode()),
              columns,
              matrix.rows(),
              matrix.columns()));
    }
  }

  /** CP decomposition; see {@link AlternatingLeastSquares} for the algorithm. */
  public CpdResult cpd(EngineTensor tensor, Cpd cpd, ProgressListener progress) {
    return cpd(tensor, cpd, Checkpoints.NONE, progress);
  }

  /** CP decomposition from a state on; states have the coordinates of the tensor's file. */
  public CpdResult cpd(
      EngineTensor tensor, Cpd cpd, Checkpoints checkpoints, ProgressListener progress) {
    List<DenseMatrix> collected = new ArrayList<>();
    CpdResult result =
        cpd(
            tensor,
            cpd,
            checkpoints,
            progress,
            (model, site) -> {
              collected.clear();
              model.factors().forEach(factor -> collected.add(site.result(factor)));
            });
    return result.withFactors(collected);
  }

  /**
   * As above, with factors that stay where they are: {@code keep} writes or collects what it wants
   * of them. It may be called again, where rows were lost.
   *
   * @return a result without factors
   */
  public CpdResult cpd(
      EngineTensor tensor,
      Cpd cpd,
      Checkpoints checkpoints,
      ProgressListener progress,
      Keep<AlternatingLeastSquares.Model> keep) {
    MethodResult<AlternatingLeastSquares.Model> result =
        run(tensor, new AlternatingLeastSquares(cpd).keeping(checkpoints), progress, keep);
    AlternatingLeastSquares.Model model = result.model();
    return new CpdResult(
        List.of(),
        model.lambda(),
        model.fits(),
        model.seconds(),
        result.norm(),
        model.converged(),
        result.report());
  }

  /** What is kept of a model, whose rows go with the job. */
  @FunctionalInterface
  public interface Keep<M> {
    void keep(M model, Site site) throws IOException;
  }

  /**
   * Runs a method: its statements are planned and compiled as one job.
   *
   * @param keep may be called again, where rows were lost
   * @throws WeftException {@code USAGE} where the method does not apply to the tensor, {@code
   *     OUT_OF_MEMORY} where its predicted memory is not there
   */
  public <M> MethodResult<M> run(
      EngineTensor tensor, Method<M> method, ProgressListener progress, Keep<M> keep) {
    TensorShape shape = tensor.statistics().shape();
    method.check(shape);
    Job job = method.job(shape);
    draft(tensor, job);
    method.memory(shape).require(job.name(), resources().memoryBytesPerExecutor());
    return run(
        tensor,
        job,
        (label, clock) -> {
          JobPlan plan = planned(tensor, job, clock, progress);
          long start = System.nanoTime();
          label.describe(job.name() + ": plan");
          Optional<RowOwners> owners = tensor.owners(plan);
          if (owners.isEmpty()) {
            return run(tensor, plan, method, progress, keep, label, clock);
          }
          EngineTensor numbered = tensor.numbered(owners.get().relabelling());
          try {
            JobPlan owning = plan.numbered(numbered.statistics(), owners.get().partitionings());
            clock.add("reorder", System.nanoTime() - start);
            return run(numbered, owning, method, progress, keep, label, clock);
          } finally {
            numbered.close();
          }
        });
  }

  private <M> MethodResult<M> run(
      EngineTensor tensor,
      JobPlan plan,
      Method<M> method,
      ProgressListener progress,
      Keep<M> keep,
      Backend.Label label,
      JobClock clock)
      throws Exception {
    Job job = plan.job();
    Sweeps.requireSquares(tensor.uri(), tensor.statistics());
    try (Passes passes = backend.open(tensor, plan, clock)) {
      int forms = plan.packedForms().size();
      progress.step(
          "pack " + Counts.plain(forms, "form") + " of " + tensor.statistics().shape(), 1, 3);
      label.describe(job.name() + ": pack");
      passes.pack(plan.modes());
      Passes.Packed packed = passes.packed(plan.modes().get(0));
      progress.step(job.name(), 2, 3);
      Keep<M> booked =
          (model, site) -> {
            long start = System.nanoTime();
            keep.keep(model, site);
            clock.wrote(System.nanoTime() - start);
          };
      M model = passes.run(method, packed, progress, booked);
      int partitions = plan.modes().get(0).partitioning().partitions();
      return new MethodResult<>(
          model,
          Math.sqrt(packed.normSquared()),
          clock.report(job, packed.storedEntries(), partitions));
    }
  }

  private static int root(ModePlan pass) {
    return pass.kernel().partitionedMode();
  }

  /** What a job does between its first and its last line. */
  private interface Body<T> {
    T run(Backend.Label label, JobClock clock) throws Exception;
  }

  private <T> T run(EngineTensor tensor, Job job, Body<T> body) {
    draft(tensor, job);
    JobClock clock = new JobClock(backend.measurements(), resources().slots());
    clock.add("read", tensor.takeReadNanos(clock));
    clock.add("reorder", tensor.takeReorderNanos());
    try (Backend.Label label = backend.label(job, tensor.uri())) {
      return body.run(label, clock);
    } catch (Exception e) {
      tensor.releaseResident();
      throw backend.failure(e);
    } finally {
      backend.sweep();
    }
  }

  private JobPlan planned(EngineTensor tensor, Job job, JobClock clock, ProgressListener progress) {
    progress.step("plan and compile", 0, 3);
    long start = System.nanoTime();
    JobPlan plan = plan(tensor, job);
    clock.add("compile", System.nanoTime() - start + draftNanos);
    draftNanos = 0;
    return plan;
  }

  /** Frees the tensors, the compiler and the backend. */
  @Override
  public void close() {
    for (int t = tensors.size() - 1; t >= 0; t--) {
      tensors.get(t).close(); // a reordered tensor before the one that it shares entries with
    }
    backend.sweep();
    compiler.close();
    backend.close();
  }
}
