package org.weft.planner;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.TensorCompiler;
import org.weft.runtime.KernelImage;
import org.weft.tensor.TensorStatistics;
import org.weft.tensor.ValueType;

/**
 * Makes plans. Safe for use by several threads if its compiler is; borrows the compiler, which its
 * owner closes.
 */
public final class Planner {
  private static final long MAXIMUM_PARTITION_ENTRIES = 1L << 30; // a packed block's limit is 2^31
  private static final double PACKING_COPIES = 3;
  private static final long REPRODUCIBLE_PARTITIONS = 16;

  private final Function<List<KernelRequest>, KernelImage> compile;
  private final PlannerOptions options;

  public Planner(TensorCompiler compiler, PlannerOptions options) {
    this(compiler::compile, options);
  }

  /** A planner that compiles with {@code compile}. */
  Planner(Function<List<KernelRequest>, KernelImage> compile, PlannerOptions options) {
    this.compile = compile;
    this.options = options;
  }

  /**
   * Plans a job. Reads statistics only; cost {@code O(modes (buckets log buckets))} and a
   * compilation unless the kernels are cached.
   *
   * @throws org.weft.error.WeftException USAGE when the job does not fit the tensor; what the
   *     compiler throws
   */
  public JobPlan plan(Job job, TensorStatistics statistics, Resources resources) {
    return plan(job, statistics, resources, null);
  }

  /**
   * As above for a tensor that lies in partitions already.
   *
   * @param stored taken for the mode that it cuts, unless partitions were asked for or it has too
   *     few to occupy the slots
   */
  public JobPlan plan(
      Job job,
      TensorStatistics statistics,
      Resources resources,
      @Nullable ModePartitioning stored) {
    job.checkAppliesTo(statistics.shape());
    int threads = resources.kernelThreads();
    int partitions = partitionCount(statistics, resources);
    CostModel costs = new CostModel(statistics, options.machine(), threads);
    List<ModePlan> modes = new ArrayList<>();
    List<KernelRequest> requests = new ArrayList<>();
    for (PlannedKernel planned :
        kernels(job, statistics, threads > 1 || options.reproducible(), costs)) {
      KernelPlan kernel = planned.kernel();
      int cut = kernel.partitionedMode();
      ModePartitioning partitioning =
          stored != null && stored.mode() == cut && suffices(stored, partitions, resources)
              ? stored
              : options
                  .partitioner()
                  .partition(
                      cut, statistics.shape().size(cut), statistics.histogram(cut), partitions);
      modes.add(
          new ModePlan(
              planned.mode(),
              kernel,
              statistics.shape(),
              partitioning,
              costs.partitions(kernel, partitioning)));
      requests.add(kernel.request());
    }
    int iterations = job instanceof CpdJob cpd ? cpd.maxIterations() : 1;
    PlanCosts predicted =
        new StepModel(statistics, resources, options.machine()).costs(modes, iterations);
    return new JobPlan(job, statistics, resources, modes, compile.apply(requests), predicted);
  }

  public PlannerOptions options() {
    return options;
  }

  private boolean suffices(ModePartitioning stored, int partitions, Resources resources) {
    return options.partitions() == 0
        && stored.partitions() >= Math.min(partitions, resources.slots());
  }

  /** The plan for people. */
  public String explain(JobPlan plan) {
    return new PlanText(plan).toString();
  }

  /**
   * Partitions of every mode: as many as asked for, or else enough for every slot, but no more than
   * the entries are worth and no fewer than memory demands.
   */
  public int partitionCount(TensorStatistics statistics, Resources resources) {
    if (options.partitions() > 0) {
      return options.partitions();
    }
    double entries = statistics.entries();
    long byCores =
        options.reproducible()
            ? REPRODUCIBLE_PARTITIONS
            : (long) resources.slots() * partitionsPerSlot(resources);
    double byWork = Math.ceil(entries / options.minimumEntries());
    double bytes =
        entries
            * new StepModel(statistics, resources, options.machine()).blockBytesPerEntry()
            * PACKING_COPIES;
    double room =
        resources.memoryBytesPerExecutor()
            * options.memoryFraction()
            / resources.tasksPerExecutor();
    double needed =
        Math.max(Math.ceil(bytes / room), Math.ceil(entries / MAXIMUM_PARTITION_ENTRIES));
    return (int)
        Math.max(1, Math.min(Integer.MAX_VALUE, Math.max(needed, Math.min(byCores, byWork))));
  }

  /** Kernels in turn have threads that even out their work. */
  private int partitionsPerSlot(Resources resources) {
    return resources.kernelsAtATime() < resources.slots() ? 1 : options.partitionsPerSlot();
  }

  private record PlannedKernel(int mode, KernelPlan kernel) {}

  private List<PlannedKernel> kernels(
      Job job, TensorStatistics statistics, boolean threads, CostModel costs) {
    ValueType type = job.valueType();
    KernelChoice choice =
        new KernelChoice(
            statistics, type, threads, costs, options.machine().cacheBytes(), options.schedule());
    if (job instanceof MttkrpJob mttkrp) {
      return List.of(new PlannedKernel(mttkrp.mode(), choice.mttkrp(mttkrp.mode(), mttkrp.rank())));
    }
    if (job instanceof TtmJob ttm) {
      return List.of(new PlannedKernel(ttm.mode(), choice.ttm(ttm.mode(), ttm.rank())));
    }
    if (job instanceof TtvJob ttv) {
      return List.of(new PlannedKernel(ttv.mode(), choice.ttv(ttv.mode())));
    }
    CpdJob cpd = (CpdJob) job;
    List<PlannedKernel> kernels = new ArrayList<>();
    for (int m = 0; m < statistics.shape().order(); m++) {
      kernels.add(new PlannedKernel(m, choice.mttkrp(m, cpd.rank())));
    }
    return kernels;
  }
}
