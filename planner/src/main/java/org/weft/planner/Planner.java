package org.weft.planner;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.TensorCompiler;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.planner.job.JobStatement;
import org.weft.planner.job.ModeGroup;
import org.weft.planner.kernel.CostModel;
import org.weft.planner.kernel.KernelChoice;
import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.kernel.Merge;
import org.weft.planner.machine.Resources;
import org.weft.planner.partition.Grid;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.PartitionCosts;
import org.weft.runtime.KernelImage;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.ValueType;

/**
 * Makes the plan of a job. Several threads may use one planner if its compiler allows this. The
 * planner borrows the compiler, and the compiler's owner closes it.
 */
public final class Planner {
  private static final long MAXIMUM_PARTITION_ENTRIES = 1L << 30; // a packed block's limit is 2^31
  private static final long LONG_TASK_ENTRIES = 1L << 24; // a tenth of a second and more a kernel
  private static final double PACKING_COPIES = 3;

  /** Of an executor's memory, what the partitions in work may fill while they are packed. */
  private static final double MEMORY_FRACTION = 0.5;

  /** Of an executor's memory, what the rows that its tasks make at a time may fill. */
  private static final double RESULT_FRACTION = 1.0 / 16;

  /** Partitions for each long task that runs at a time: they even out tasks of unequal length. */
  private static final int PARTITIONS_PER_SLOT = 2;

  /** Entries of a partition below which a task is not worth starting. */
  private static final double MINIMUM_ENTRIES = 20_000;

  private static final int REPRODUCIBLE_GROUPS = 8;

  /** Of a pass: Spark's driver keeps track of each. */
  private static final long MOST_TASKS = 1 << 20;

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
    return plan(job, statistics, resources, null, InputReading.free());
  }

  /**
   * As above for a tensor that lies in partitions already.
   *
   * @param stored taken for a kernel that reads its levels, unless partitions were asked for or it
   *     has too few to occupy the slots
   * @param reading of the tensor's file
   */
  public JobPlan plan(
      Job job,
      TensorStatistics statistics,
      Resources resources,
      @Nullable StoredForm stored,
      InputReading reading) {
    job.checkAppliesTo(statistics.shape());
    Passes passes = new Passes(statistics, resources, stored, reading);
    StepModel steps = passes.steps();
    int iterations = job.iterations();
    List<ModePlan> modes = passes.of(job);
    PlanCosts predicted = steps.costs(modes, job.once(), iterations);
    FormsChoice forms = null;
    OptionalInt rank = job.mttkrpRank(statistics.shape().order());
    if (rank.isPresent() && considersForms(statistics)) {
      List<ModePlan> shared = passes.ofOneForm(job, rank.getAsInt());
      List<ModePlan> tiles = passes.ofTiles(modes, steps);
      PlanCosts one = steps.costs(shared, iterations);
      PlanCosts tiled = tiles.isEmpty() ? null : steps.costs(tiles, iterations);
      int root = shared.get(0).kernel().partitionedMode();
      forms = choice(root, one, predicted, tiled, resources);
      modes = forms.chosen() == Forms.ONE ? shared : forms.chosen() == Forms.GRID ? tiles : modes;
      predicted = forms.costs();
    }
    TreeChoice tree = null;
    List<KernelRequest> algebra = new ArrayList<>(job.algebra());
    if (rank.isPresent() && job.sharing() && statistics.shape().order() > 2) {
      tree = passes.tree(job, rank.getAsInt(), predicted);
      if (tree.shares()) {
        TreeSearch chosen = passes.search(job, rank.getAsInt(), resources);
        modes = chosen.passes(tree.groups());
        predicted = chosen.costs(tree.groups(), iterations);
        forms = null;
        for (ModeGroup group : tree.groups()) {
          algebra.addAll(group.kernels(statistics.shape(), rank.getAsInt(), job.valueType()));
        }
      }
    }
    List<KernelRequest> requests = new ArrayList<>();
    modes.forEach(mode -> requests.add(mode.kernel().request()));
    modes.stream()
        .flatMap(mode -> mode.kernel().copies().stream())
        .distinct()
        .forEach(requests::add);
    requests.addAll(algebra);
    return new JobPlan(
        job,
        statistics,
        resources,
        reading,
        modes,
        algebra,
        compile.apply(requests),
        predicted,
        forms,
        tree);
  }

  /**
   * Nobody chooses where there is one mode, or where a schedule was given for a form of its own.
   */
  private boolean considersForms(TensorStatistics statistics) {
    boolean asked = options.forms() == Forms.ONE || options.forms() == Forms.GRID;
    return statistics.shape().order() > 1 && (asked || options.schedule().isEmpty());
  }

  /** Predicted times depend on the number of cores, which reproducible plans must not. */
  private FormsChoice choice(
      int root, PlanCosts one, PlanCosts all, @Nullable PlanCosts tiled, Resources resources) {
    double memory = resources.memoryBytesPerExecutor();
    boolean fits = all.peakMemoryBytesPerExecutor() <= memory;
    if (options.forms() == Forms.AUTO && options.reproducible() && fits) {
      return new FormsChoice(Forms.ALL, "they fit the memory", root, one, all, null);
    }
    return FormsChoice.of(options.forms(), root, one, all, tiled, memory);
  }

  public PlannerOptions options() {
    return options;
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
    long byCores =
        options.reproducible()
            ? PlannerOptions.REPRODUCIBLE_PARTITIONS
            : (long) resources.slots() * partitionsPerSlot(statistics, resources);
    double byWork = Math.ceil(statistics.entries() / MINIMUM_ENTRIES);
    return (int) Math.max(neededPartitions(statistics, resources), Math.min(byCores, byWork));
  }

  /** Partitions that memory demands, at least one. */
  private int neededPartitions(TensorStatistics statistics, Resources resources) {
    double entries = statistics.entries();
    double bytes =
        entries
            * new StepModel(statistics, resources, options.machine(), InputReading.free())
                .blockBytesPerEntry()
            * PACKING_COPIES;
    double room =
        resources.memoryBytesPerExecutor() * MEMORY_FRACTION / resources.tasksPerExecutor();
    double needed =
        Math.max(Math.ceil(bytes / room), Math.ceil(entries / MAXIMUM_PARTITION_ENTRIES));
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, needed));
  }

  /**
   * Kernels in turn have threads that even out their work. Short tasks are not worth evening out: a
   * second round of tasks costs more.
   */
  private int partitionsPerSlot(TensorStatistics statistics, Resources resources) {
    boolean inTurn = resources.kernelsAtATime() < resources.slots();
    boolean areShort = statistics.entries() / resources.slots() < LONG_TASK_ENTRIES;
    return inTurn || areShort ? 1 : PARTITIONS_PER_SLOT;
  }

  /** The passes of jobs on one tensor. */
  private final class Passes {
    private final TensorStatistics statistics;
    private final Resources resources;
    private final @Nullable StoredForm stored;
    private final InputReading reading;
    private final int partitions;
    private final int inOneResult;
    private final int loadable;
    private final CostModel costs;
    private final Map<Cut, ModePartitioning> cuts = new HashMap<>();

    /** Partitions of a mode. */
    private record Cut(int mode, int partitions) {}

    Passes(
        TensorStatistics statistics,
        Resources resources,
        @Nullable StoredForm stored,
        InputReading reading) {
      this.statistics = statistics;
      this.resources = resources;
      this.stored = options.partitions() == 0 ? stored : null;
      this.reading = options.reproducible() ? reading.withoutLayout() : reading;
      this.partitions = partitionCount(statistics, resources);
      this.inOneResult =
          resources.inTurn() && options.partitions() == 0 && !options.reproducible()
              ? neededPartitions(statistics, resources)
              : partitions;
      // What is stored as kernels want it needs no memory for packing.
      this.loadable = (int) Math.ceil(neededPartitions(statistics, resources) / PACKING_COPIES);
      this.costs = costs(resources.kernelThreads());
    }

    StepModel steps() {
      return new StepModel(statistics, resources, options.machine(), reading);
    }

    List<ModePlan> of(Job job) {
      KernelChoice choice = choice(job.valueType());
      int repeated = job.statements().size() - job.once();
      List<ModePlan> passes = new ArrayList<>();
      for (JobStatement statement : job.statements()) {
        boolean again = passes.size() < repeated;
        passes.add(pass(statement.mode(), again ? choice.of(statement) : choice.usual(statement)));
      }
      return passes;
    }

    /** Passes over all modes of one form, at the root that takes least time. */
    List<ModePlan> ofOneForm(Job job, int rank) {
      Passes judge =
          options.reproducible() ? new Passes(statistics, ofOneCore(), stored, reading) : this;
      KernelChoice choice = choice(job.valueType());
      int best = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int root = 0; root < statistics.shape().order(); root++) {
        List<ModePlan> passes = judge.passes(choice.mttkrps(root, rank));
        double seconds = judge.steps().costs(passes, job.iterations()).seconds();
        if (seconds < least) {
          best = root;
          least = seconds;
        }
      }
      return passes(choice.mttkrps(best, rank));
    }

    /** The choice of products that modes share. Reproducible plans do not depend on cores. */
    TreeChoice tree(Job job, int rank, PlanCosts predicted) {
      if (options.tree() == DimensionTree.OFF) {
        return TreeChoice.none("as asked for", predicted);
      }
      boolean asked = options.forms() == Forms.ONE || options.forms() == Forms.GRID;
      if (asked || options.schedule().isPresent()) {
        return TreeChoice.none("not with the forms or the schedule asked for", predicted);
      }
      TreeSearch search = search(job, rank, options.reproducible() ? ofOneCore() : resources);
      List<ModeGroup> groups = search.cheapest();
      if (groups.isEmpty()) {
        return TreeChoice.none(
            "no products are few beside the entries and fit the memory", predicted);
      }
      return TreeChoice.of(
          options.tree(),
          groups,
          options.reproducible() ? search.costsWithout(job.iterations()) : predicted,
          search.costs(groups, job.iterations()),
          search.idleSeconds(),
          resources.memoryBytesPerExecutor());
    }

    /**
     * @param judged what times are predicted for
     */
    TreeSearch search(Job job, int rank, Resources judged) {
      KernelChoice choice = choice(job.valueType());
      Passes judge =
          judged.equals(resources) ? this : new Passes(statistics, judged, stored, reading);
      return new TreeSearch(
          rank,
          job.valueType(),
          statistics,
          judged,
          options.machine(),
          judge.steps(),
          statement -> judge.pass(statement.mode(), choice.of(statement)));
    }

    /**
     * Passes of one form, which share the partitions of those whose results are added. Partitions
     * have no more slices than a task has memory for, unless longer ones fit, too: cut in another
     * way for one of the modes, the form would be shuffled and packed twice.
     */
    private List<ModePlan> passes(List<KernelPlan> kernels) {
      List<ModePlan> any = options.reproducible() ? List.of() : passes(kernels, true);
      return fits(any, steps()) ? any : passes(kernels, false);
    }

    private List<ModePlan> passes(List<KernelPlan> kernels, boolean anyLength) {
      return IntStream.range(0, kernels.size())
          .mapToObj(mode -> grouped(pass(mode, kernels.get(mode), partitions, anyLength)))
          .toList();
    }

    private boolean fits(List<ModePlan> passes, StepModel steps) {
      return !passes.isEmpty()
          && steps.costs(passes, 1).peakMemoryBytesPerExecutor()
              <= resources.memoryBytesPerExecutor();
    }

    /**
     * The passes over tiles instead of ranges, or none. Nobody has to choose them where one process
     * has all tiles, where the choice must depend on entries alone, or where ranges lie in files.
     * Layers have no more slices than partitions may have, unless longer ones fit the memory, too.
     */
    List<ModePlan> ofTiles(List<ModePlan> passes, StepModel steps) {
      boolean helps = resources.executors() > 1 && !options.reproducible() && stored == null;
      if (partitions == 1 || !helps && options.forms() != Forms.GRID) {
        return List.of();
      }
      long most =
          passes.stream()
              .mapToLong(pass -> mostSlices(pass.kernel(), pass.partitions()))
              .min()
              .orElseThrow();
      List<ModePlan> any =
          options.reproducible() ? List.of() : tiled(passes, Long.MAX_VALUE, steps);
      return fits(any, steps) ? any : tiled(passes, most, steps);
    }

    private List<ModePlan> tiled(List<ModePlan> passes, long mostSlices, StepModel steps) {
      return steps.grid(passes, partitions, mostSlices, options.reproducible()).stream()
          .flatMap(grid -> passes.stream().map(pass -> tiled(pass, grid)))
          .toList();
    }

    private ModePlan tiled(ModePlan pass, Grid grid) {
      ModePartitioning cut = grid.along(pass.mode());
      List<PartitionCosts> predicted = costs.partitions(pass.kernel(), cut);
      return new ModePlan(pass.mode(), pass.kernel(), statistics.shape(), cut, predicted);
    }

    private ModePlan grouped(ModePlan pass) {
      if (!pass.isGrouped(resources)) {
        return pass;
      }
      if (!options.reproducible()) {
        return steps().grouped(pass, resources.coresPerExecutor());
      }
      double affordable = pass.storageBytes() / pass.partitions().get(0).resultBytes();
      double groups = Math.max(2, Math.min(REPRODUCIBLE_GROUPS, affordable));
      return pass.withGroups(Math.min(pass.partitions().size(), (int) groups));
    }

    /** What predicted times of reproducible plans are of, since choices depend on them. */
    private Resources ofOneCore() {
      return new Resources(1, 1, 1, resources.memoryBytesPerExecutor());
    }

    private KernelChoice choice(ValueType type) {
      boolean several = resources.kernelThreads() > 1;
      CostModel choosing = options.reproducible() ? costs(1) : costs;
      long slots =
          options.reproducible() ? PlannerOptions.REPRODUCIBLE_PARTITIONS : resources.slots();
      return new KernelChoice(
          statistics,
          type,
          several || options.reproducible(),
          several && !options.reproducible() && !resources.inTurn(),
          choosing,
          options.machine().cacheBytes(),
          inTurn() ? 1 : (int) Math.min(slots, partitions),
          options.schedule());
    }

    /** Whether choices may depend on kernels that run in turn; those that reproduce may not. */
    private boolean inTurn() {
      return resources.inTurn() && !options.reproducible();
    }

    /** Kernels in turn share copies of operands; tasks make their own. */
    private CostModel costs(int threads) {
      int calls = inTurn() ? 1 : partitions;
      return new CostModel(statistics, options.machine(), threads, calls);
    }

    private ModePlan pass(int mode, KernelPlan kernel) {
      return pass(mode, kernel, kernel.merge() == Merge.SUM ? partitions : inOneResult, false);
    }

    private ModePlan pass(int mode, KernelPlan kernel, int count, boolean anyLength) {
      int slots = options.reproducible() ? 1 : resources.slots();
      int enough = Math.max(loadable, Math.min(count, slots));
      if (stored != null && stored.serves(kernel, enough)) {
        List<PartitionCosts> predicted = costs.partitions(kernel, stored.partitioning());
        if (anyLength || mostSlices(kernel, predicted) >= longest(predicted)) {
          return new ModePlan(mode, kernel, statistics.shape(), stored.partitioning(), predicted);
        }
      }
      ModePartitioning even =
          cuts.computeIfAbsent(new Cut(kernel.partitionedMode(), count), this::cut);
      List<PartitionCosts> predicted = costs.partitions(kernel, even);
      long most = anyLength ? Long.MAX_VALUE : mostSlices(kernel, predicted);
      requireFewTasks(kernel.partitionedMode(), most);
      ModePartitioning held = even.withSlicesUpTo(most);
      if (!held.equals(even)) {
        predicted = costs.partitions(kernel, held);
      }
      return new ModePlan(mode, kernel, statistics.shape(), held, predicted);
    }

    /**
     * Slices of a partition whose rows a task has the memory for. Equal numbers of entries may be
     * far from equal numbers of slices, many of which may have none.
     */
    private long mostSlices(KernelPlan kernel, List<PartitionCosts> predicted) {
      if (kernel.merge() != Merge.ROWS || resources.inTurn()) {
        return Long.MAX_VALUE;
      }
      double room =
          resources.memoryBytesPerExecutor() * RESULT_FRACTION / resources.tasksPerExecutor();
      double rowBytes =
          predicted.stream()
              .filter(costs -> costs.range().slices() > 0)
              .mapToDouble(costs -> costs.resultBytes() / costs.range().slices())
              .max()
              .orElse(0);
      return rowBytes == 0 ? Long.MAX_VALUE : (long) Math.max(1, room / rowBytes);
    }

    /**
     * Refuses a result of which no number of tasks could make the rows.
     *
     * @param most rows of a task
     */
    private void requireFewTasks(int mode, long most) {
      long rows = statistics.shape().size(mode);
      if (rows / most > MOST_TASKS) {
        throw new WeftException(
            ErrorCode.OUT_OF_MEMORY,
            String.format(
                Locale.ROOT,
                "the result has a row for each of the %d slices of mode %d, and a task has memory"
                    + " for %,d rows; expected at most %,d tasks, found %.3g; give the executors"
                    + " more memory, or number only slices that have entries",
                rows,
                mode,
                most,
                MOST_TASKS,
                (double) rows / most));
      }
    }

    private static long longest(List<PartitionCosts> predicted) {
      return predicted.stream().mapToLong(costs -> costs.range().slices()).max().orElse(0);
    }

    private ModePartitioning cut(Cut cut) {
      int mode = cut.mode();
      long size = statistics.shape().size(mode);
      return options
          .partitioner()
          .partition(mode, size, statistics.histogram(mode), cut.partitions());
    }
  }
}
