package org.weft.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.planner.CpdJob;
import org.weft.planner.Job;
import org.weft.planner.JobPlan;
import org.weft.planner.MachineParameters;
import org.weft.planner.ModePlan;
import org.weft.planner.MttkrpJob;
import org.weft.planner.Operand;
import org.weft.planner.PackedForm;
import org.weft.planner.Planner;
import org.weft.planner.PlannerOptions;
import org.weft.planner.Resources;
import org.weft.planner.TtmJob;
import org.weft.planner.TtvJob;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderer;
import org.weft.reorder.Reorderers;
import org.weft.runtime.NativeRuntime;
import org.weft.spark.cpd.AlternatingLeastSquares;
import org.weft.spark.cpd.OffHeapUpdates;
import org.weft.spark.order.ReorderChoice;
import org.weft.spark.order.SampledOrder;
import org.weft.spark.output.ResultFile;
import org.weft.spark.resident.ResidentMemory;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorStatistics;
import org.weft.tensor.ValueType;

/**
 * Tensor jobs on one Spark context: reads tensors, plans jobs, runs them. One engine per context;
 * it owns the compiler, which lives on the driver only. Jobs run one at a time.
 *
 * <p>The context's configuration must have gone through {@link #configure}. Closing the engine
 * frees all tensors that it read; the context stays open.
 */
public final class WeftEngine implements AutoCloseable {
  private final JavaSparkContext context;
  private final EngineOptions options;
  private final FileAccess files;
  private final TensorCompiler compiler;
  private final Planner planner;
  private final List<SparkTensor> tensors = new ArrayList<>();

  private WeftEngine(JavaSparkContext context, EngineOptions options, TensorCompiler compiler) {
    this.context = context;
    this.options = options;
    this.compiler = compiler;
    this.files = FileAccess.of(context.hadoopConfiguration());
    this.planner =
        new Planner(
            compiler,
            PlannerOptions.defaults()
                .withPartitions(options.partitions())
                .withMachine(machine(options))
                .withSchedule(options.schedule())
                .withReproducible(options.reproducible())
                .withForms(options.forms()));
  }

  /** Parameters of this machine, or of any where plans may not depend on it. */
  private static MachineParameters machine(EngineOptions options) {
    return options
        .machine()
        .orElseGet(
            () ->
                options.reproducible()
                    ? MachineParameters.defaults()
                    : MachineParameters.ofThisMachine());
  }

  /**
   * Sets what Weft needs: Kryo with registration required, off-heap memory, and defaults for sizes
   * that the caller has not set. Call it before the context is made.
   */
  public static void configure(SparkConf conf, EngineOptions options) {
    Settings.apply(conf, options);
  }

  /**
   * An engine on {@code context}.
   *
   * @throws org.weft.error.WeftException {@code USAGE} if the context was not configured
   */
  public static WeftEngine create(JavaSparkContext context, EngineOptions options) {
    Settings.require(context.getConf());
    CompilerOptions compilerOptions = CompilerOptions.forThisHost().withCheck(options.check());
    if (options.compilerCache().isPresent()) {
      compilerOptions = compilerOptions.withCacheDirectory(options.compilerCache().get());
    }
    return new WeftEngine(context, options, TensorCompiler.create(compilerOptions));
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
    return files;
  }

  /**
   * Reads a tensor: every byte is parsed once, entries are cached on the executors, statistics come
   * along. The caller unpersists it, or the engine does when it closes.
   *
   * @throws org.weft.error.WeftException of kind USER or DATA, naming file and line
   */
  public SparkTensor read(String uri, ReadOptions readOptions, ValueType type) {
    InputPlan plan = TensorFiles.open(files, uri, readOptions.withStoredOrder(true));
    SparkTensor tensor = SparkTensor.read(context, files, plan, type);
    tensors.add(tensor);
    return tensor;
  }

  /**
   * Orders a tensor by a method of {@link Reorderers}: its entries on the driver if no more than
   * {@code mostEntries}, otherwise a sample of about so many, extended to the others. Nothing is
   * changed yet; see {@link #reorder}.
   *
   * @param method such as {@code lexi}; {@code partition} alone makes as many parts as jobs on the
   *     tensor have partitions
   * @param mostEntries 0 for as many as the driver's heap allows
   * @throws org.weft.error.WeftException {@code USAGE} for an unknown method
   */
  public Ordering order(SparkTensor tensor, String method, long mostEntries) {
    long start = System.nanoTime();
    TensorStatistics statistics = tensor.statistics();
    Reorderer reorderer =
        Reorderers.named(
            method.equals("partition")
                ? "partition:" + Math.min(256, planner.partitionCount(statistics, resources()))
                : method);
    long capacity = SampledOrder.driverCapacity(statistics.shape().order());
    try (JobName name = JobName.open(context.sc(), "order " + tensor.uri() + " by " + method)) {
      SampledOrder order = tensor.sampledOrder();
      List<CooBlock> sample =
          order.sample(mostEntries > 0 ? Math.min(mostEntries, capacity) : capacity);
      Relabelling found = order.order(reorderer, sample);
      long entries = sample.stream().mapToLong(CooBlock::size).sum();
      double seconds = (System.nanoTime() - start) * 1e-9;
      String line =
          String.format(
              Locale.ROOT,
              "%s of %s%,d entries in %.2f s",
              reorderer.name(),
              entries < statistics.entries() ? "a sample of " : "",
              entries,
              seconds);
      return new Ordering(
          reorderer.name(), Optional.of(found), entries, seconds, false, List.of(line));
    } catch (Exception e) {
      throw Failures.unwrap(e);
    }
  }

  /**
   * Decides whether an order pays for {@code job}, and finds it: predicted from rows missed on
   * windows of the tensor, over the iterations that the job is sure to run. The answer says why.
   *
   * @param mostEntries as for {@link #order}
   */
  public Ordering chooseOrder(SparkTensor tensor, Job job, long mostEntries) {
    long start = System.nanoTime();
    job.checkAppliesTo(tensor.statistics().shape());
    long capacity = SampledOrder.driverCapacity(tensor.statistics().shape().order());
    try (JobName name = JobName.open(context.sc(), "choose an order of " + tensor.uri())) {
      ReorderChoice.Decision decision =
          tensor
              .reorderChoice(plan(tensor, job), planner.options())
              .decide(mostEntries > 0 ? Math.min(mostEntries, capacity) : capacity, tensor::moved);
      return new Ordering(
          decision.method(),
          decision.relabelling(),
          decision.entries(),
          (System.nanoTime() - start) * 1e-9,
          false,
          decision.reasons());
    } catch (Exception e) {
      throw Failures.unwrap(e);
    }
  }

  /**
   * {@code tensor} with its coordinates changed while it is packed, for locality. Jobs on it take
   * operands, and give results, in original coordinates; with {@code keepOrder} results have the
   * new ones, or those of a container that was reordered. The entries are shared: {@code tensor}
   * stays open as long as the new one.
   *
   * @param ordering a permutation for each mode, of at least its size; the next job on the tensor
   *     reports the time that it took. Without permutations the answer is {@code tensor}
   * @throws org.weft.error.WeftException {@code SHAPE_MISMATCH}
   */
  public SparkTensor reorder(SparkTensor tensor, Ordering ordering, boolean keepOrder) {
    if (ordering.relabelling().isEmpty()) {
      tensor.ordered(ordering);
      if (keepOrder) {
        tensor.keepOrder();
      }
      return tensor;
    }
    SparkTensor reordered = tensor.reordered(ordering);
    if (keepOrder) {
      reordered.keepOrder();
    }
    tensors.add(reordered);
    return reordered;
  }

  /** What a job would do. Compiles the kernels, runs nothing. */
  public JobPlan plan(SparkTensor tensor, Job job) {
    return planner.plan(job, tensor.statistics(), resources(job), tensor.storedPartitioning());
  }

  /** Whether the driver calls the kernels of {@code job} itself if their partitions are there. */
  private boolean runsInDriver(Job job) {
    return job instanceof CpdJob cpd
        && !cpd.nonnegative()
        && cpd.valueType() == ValueType.DOUBLE
        && Settings.isInProcess(context.getConf());
  }

  private Resources resources(Job job) {
    return runsInDriver(job) ? resources().withKernelsInTurn() : resources();
  }

  /** What the context offers, as the planner counts it. */
  public Resources resources() {
    SparkConf conf = context.getConf();
    boolean inProcess = Settings.isInProcess(conf);
    // The driver is in the list of executors, and the only one in process.
    int known = context.sc().statusTracker().getExecutorInfos().length - 1;
    int executors = inProcess ? 1 : Math.max(1, known);
    int cores =
        inProcess
            ? context.defaultParallelism()
            : conf.getInt(
                "spark.executor.cores", Math.max(1, context.defaultParallelism() / executors));
    int threads =
        options.threadsPerTask() > 0 ? options.threadsPerTask() : conf.getInt("spark.task.cpus", 1);
    long memory = conf.getSizeAsBytes(Settings.OFF_HEAP_SIZE);
    return new Resources(executors, Math.max(1, cores), threads, Math.max(1, memory));
  }

  /**
   * {@code M(i, r) = sum T(.., i, ..) prod F_m(.., r)} over all modes but the job's.
   *
   * @param factors one matrix per mode, mode size x R; that of the job's own mode is not used
   * @throws org.weft.error.WeftException {@code SHAPE_MISMATCH}, {@code OUTPUT_EXISTS}, ...
   */
  public JobReport mttkrp(
      SparkTensor tensor,
      MttkrpJob job,
      List<DenseMatrix> factors,
      OutputTarget out,
      ProgressListener progress) {
    return single(tensor, job, factors, out, progress);
  }

  /** {@code Y(.., r, ..) = sum_k T(.., k, ..) U(k, r)}; {@code matrix}: mode size x R. */
  public JobReport ttm(
      SparkTensor tensor,
      TtmJob job,
      DenseMatrix matrix,
      OutputTarget out,
      ProgressListener progress) {
    return single(tensor, job, everyMode(tensor, matrix), out, progress);
  }

  /** {@code Y(..) = sum_k T(.., k, ..) v(k)}; {@code vector} has the mode's size. */
  public JobReport ttv(
      SparkTensor tensor,
      TtvJob job,
      double[] vector,
      OutputTarget out,
      ProgressListener progress) {
    return single(tensor, job, everyMode(tensor, DenseMatrix.column(vector)), out, progress);
  }

  private static List<DenseMatrix> everyMode(SparkTensor tensor, DenseMatrix matrix) {
    return java.util.Collections.nCopies(tensor.statistics().shape().order(), matrix);
  }

  private JobReport single(
      SparkTensor tensor,
      Job job,
      List<DenseMatrix> byMode,
      OutputTarget out,
      ProgressListener progress) {
    job.checkAppliesTo(tensor.statistics().shape());
    ResultFile.check(files, out.uri(), out.overwrite());
    JobClock clock = clock(tensor, job);
    try (JobName name = JobName.open(context.sc(), describe(job, tensor))) {
      JobPlan plan = planned(tensor, job, clock, progress);
      List<DenseMatrix> operands = new ArrayList<>();
      for (Operand operand : plan.only().kernel().operands()) {
        DenseMatrix matrix = byMode.get(operand.mode());
        SingleJob.requireShape(operand, tensor.statistics().shape(), matrix);
        Relabelling there = tensor.relabelling();
        operands.add(there == null ? matrix : there.applyToRows(operand.mode(), matrix));
      }
      try (PlanRunner runner = runner(tensor, plan, clock)) {
        new SingleJob(files, out, progress).run(runner, plan, operands, clock);
        ModePlan pass = plan.only();
        return clock.report(
            job, runner.resident(pass).storedEntries(), pass.partitioning().partitions());
      }
    } catch (Exception e) {
      tensor.releaseResident();
      throw Failures.unwrap(e);
    } finally {
      ResidentMemory.PROCESS.sweep();
    }
  }

  /** CP decomposition; see {@link AlternatingLeastSquares} for the algorithm. */
  public CpdResult cpd(SparkTensor tensor, CpdJob job, ProgressListener progress) {
    job.checkAppliesTo(tensor.statistics().shape());
    JobClock clock = clock(tensor, job);
    try (JobName name = JobName.open(context.sc(), describe(job, tensor))) {
      JobPlan plan = planned(tensor, job, clock, progress);
      try (PlanRunner runner = runner(tensor, plan, clock)) {
        List<PackedForm> packed = new ArrayList<>();
        int forms = plan.packedForms().size();
        for (ModePlan pass : plan.modes()) {
          if (!packed.contains(pass.form())) {
            int root = pass.kernel().partitionedMode();
            packed.add(pass.form());
            progress.step("pack by mode " + root, packed.size(), forms + 2);
            name.describe("cpd: pack by mode " + root);
            runner.resident(pass);
          }
        }
        ModePlan first = plan.modes().get(0);
        progress.step("alternating least squares", forms + 1, forms + 2);
        double normSquared = runner.resident(first).normSquared();
        AlternatingLeastSquares.Model model =
            iterate(tensor, job, runner, plan, clock, name, normSquared, progress);
        JobReport report =
            clock.report(
                job, runner.resident(first).storedEntries(), first.partitioning().partitions());
        return new CpdResult(
            resultFactors(model.factors(), tensor),
            model.lambda(),
            model.fits(),
            model.seconds(),
            Math.sqrt(normSquared),
            model.converged(),
            report);
      }
    } catch (Exception e) {
      tensor.releaseResident();
      throw Failures.unwrap(e);
    } finally {
      ResidentMemory.PROCESS.sweep();
    }
  }

  private PlanRunner runner(SparkTensor tensor, JobPlan plan, JobClock clock) {
    return new PlanRunner(
        context, tensor, plan, options.operandFetch(), clock, options.reproducible());
  }

  /** In this process if all partitions are here, otherwise by a Spark job for each step. */
  private AlternatingLeastSquares.Model iterate(
      SparkTensor tensor,
      CpdJob job,
      PlanRunner runner,
      JobPlan plan,
      JobClock clock,
      JobName name,
      double normSquared,
      ProgressListener progress) {
    List<DenseMatrix> initial = initialFactors(job, tensor);
    AlternatingLeastSquares squares = new AlternatingLeastSquares(job, initial);
    if (runsInDriver(job)) {
      name.describe("cpd: hold partitions");
      try (MemoryScope scope = ResidentMemory.own("the factors of a decomposition")) {
        NativeRuntime.setThreads(plan.resources().coresPerExecutor());
        Optional<InProcessTensor> held =
            InProcessTensor.open(context, runner, plan, clock, scope, options.reproducible());
        if (held.isPresent()) {
          try (InProcessTensor mttkrps = held.get()) {
            OffHeapUpdates updates =
                new OffHeapUpdates(
                    initial,
                    mttkrps,
                    FactorAlgebra.compile(compiler, job.rank()),
                    plan.resources().coresPerExecutor(),
                    scope);
            return squares.run(updates, normSquared, progress::iteration);
          }
        }
      }
    }
    try (DistributedTensor mttkrps = new DistributedTensor(runner, plan, name)) {
      return squares.run(mttkrps, normSquared, progress::iteration);
    }
  }

  /** The same rows for the same slices, whatever the order. */
  private static List<DenseMatrix> initialFactors(CpdJob job, SparkTensor tensor) {
    List<DenseMatrix> initial =
        AlternatingLeastSquares.initialFactors(job, tensor.statistics().shape());
    Relabelling there = tensor.relabelling();
    return there == null ? initial : relabelled(initial, there);
  }

  private static List<DenseMatrix> resultFactors(List<DenseMatrix> factors, SparkTensor tensor) {
    Broadcast<Relabelling> back = tensor.resultRelabelling();
    return back == null ? factors : relabelled(factors, back.value());
  }

  private static List<DenseMatrix> relabelled(List<DenseMatrix> factors, Relabelling relabelling) {
    return IntStream.range(0, factors.size())
        .mapToObj(mode -> relabelling.applyToRows(mode, factors.get(mode)))
        .toList();
  }

  private JobClock clock(SparkTensor tensor, Job job) {
    JobClock clock = new JobClock(context.sc(), resources(job));
    clock.add("read", tensor.takeReadNanos(clock));
    clock.add("reorder", tensor.takeReorderNanos());
    return clock;
  }

  private JobPlan planned(SparkTensor tensor, Job job, JobClock clock, ProgressListener progress) {
    progress.step("plan and compile", 0, 3);
    long start = System.nanoTime();
    JobPlan plan = plan(tensor, job);
    clock.add("compile", System.nanoTime() - start);
    return plan;
  }

  private static String describe(Job job, SparkTensor tensor) {
    return job + " of " + tensor.uri();
  }

  /** Frees the tensors and the compiler. */
  @Override
  public void close() {
    for (int t = tensors.size() - 1; t >= 0; t--) {
      tensors.get(t).unpersist(); // a reordered tensor before the one that it shares entries with
    }
    ResidentMemory.PROCESS.sweep();
    compiler.close();
  }
}
