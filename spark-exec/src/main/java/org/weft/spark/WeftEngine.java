package org.weft.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.planner.CpdJob;
import org.weft.planner.Job;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.MttkrpJob;
import org.weft.planner.Operand;
import org.weft.planner.Planner;
import org.weft.planner.PlannerOptions;
import org.weft.planner.Resources;
import org.weft.planner.TtmJob;
import org.weft.planner.TtvJob;
import org.weft.spark.cpd.AlternatingLeastSquares;
import org.weft.spark.output.ResultFile;
import org.weft.spark.resident.ResidentMemory;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.tensor.DenseMatrix;
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
        new Planner(compiler, PlannerOptions.defaults().withPartitions(options.partitions()));
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
    CompilerOptions compilerOptions = CompilerOptions.forThisHost();
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
    InputPlan plan = TensorFiles.open(files, uri, readOptions);
    SparkTensor tensor = SparkTensor.read(context, files, plan, type);
    tensors.add(tensor);
    return tensor;
  }

  /** What a job would do. Compiles the kernels, runs nothing. */
  public JobPlan plan(SparkTensor tensor, Job job) {
    return planner.plan(job, tensor.statistics(), resources());
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
    TensorFiles.requireKnownExtension(out.uri());
    ResultFile.check(files, out.uri(), out.overwrite());
    JobClock clock = clock(tensor);
    try (JobName name = JobName.open(context.sc(), describe(job, tensor))) {
      JobPlan plan = planned(tensor, job, clock, progress);
      List<DenseMatrix> operands = new ArrayList<>();
      for (Operand operand : plan.only().kernel().operands()) {
        DenseMatrix matrix = byMode.get(operand.mode());
        SingleJob.requireShape(operand, tensor.statistics().shape(), matrix);
        operands.add(matrix);
      }
      try (PlanRunner runner = new PlanRunner(context, tensor, plan, clock)) {
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
    JobClock clock = clock(tensor);
    try (JobName name = JobName.open(context.sc(), describe(job, tensor))) {
      JobPlan plan = planned(tensor, job, clock, progress);
      try (PlanRunner runner = new PlanRunner(context, tensor, plan, clock);
          DistributedTensor mttkrps = new DistributedTensor(runner, plan, name)) {
        int order = plan.modes().size();
        for (ModePlan pass : plan.modes()) {
          progress.step("pack by mode " + pass.mode(), 1 + pass.mode(), order + 2);
          name.describe("cpd: pack by mode " + pass.mode());
          runner.resident(pass);
        }
        ModePlan first = plan.modes().get(0);
        progress.step("alternating least squares", order + 1, order + 2);
        double normSquared = runner.resident(first).normSquared();
        AlternatingLeastSquares.Model model =
            new AlternatingLeastSquares(job, tensor.statistics().shape())
                .run(mttkrps, normSquared, progress::iteration);
        JobReport report =
            clock.report(
                job, runner.resident(first).storedEntries(), first.partitioning().partitions());
        return new CpdResult(
            model.factors(),
            model.lambda(),
            model.fits(),
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

  private JobClock clock(SparkTensor tensor) {
    JobClock clock = new JobClock(context.sc(), resources().slots());
    clock.add("read", tensor.takeReadNanos(clock));
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
    tensors.forEach(SparkTensor::unpersist);
    ResidentMemory.PROCESS.sweep();
    compiler.close();
  }
}
