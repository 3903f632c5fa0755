package org.weft.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RandomRows;
import org.weft.decomposition.rows.RangesOfRows;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.SmallMatrix;
import org.weft.decomposition.rows.Step;
import org.weft.decomposition.rows.Sums;
import org.weft.engine.Passes;
import org.weft.engine.entries.Shared;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.job.ModeGroup;
import org.weft.planner.kernel.Operand;
import org.weft.reorder.Relabelling;
import org.weft.spark.exchange.RowPlace;
import org.weft.spark.kernel.DenseOperand;
import org.weft.spark.kernel.FactorRange;
import org.weft.spark.kernel.OwnedRows;
import org.weft.spark.kernel.RowBlock;
import org.weft.spark.kernel.RowsStep;
import org.weft.spark.kernel.StepPart;
import org.weft.spark.output.OriginalRows;
import org.weft.spark.output.RowFiles;
import org.weft.spark.resident.BlockSpace;
import org.weft.spark.resident.FactorBlocks;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.resident.GivenRows;
import org.weft.spark.resident.ResidentTensor;
import org.weft.spark.resident.SentRows;
import org.weft.spark.resident.StoredRows;
import org.weft.spark.wire.PartitionWork;
import org.weft.spark.wire.Sent;
import org.weft.spark.wire.Wire;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * The rows of factor matrices on the executors, and the steps of a method on them. The executor
 * that has the entries of a range of slices also computes and stores the rows of these slices.
 * Other executors fetch the rows that their entries need. Only the sums of each task come to the
 * driver.
 *
 * <p>A step is work for {@link StepTasks}. More work follows if partitions share rows. Partitions
 * share the rows of split slices and of tiles. They share all rows if one form serves several
 * modes.
 */
final class SparkSite implements Site, AutoCloseable {
  /** What a job brings to the driver, where ranges are small. */
  private static final long COLLECTED_BYTES = 32 << 20;

  private final JavaSparkContext context;
  private final SparkTensor tensor;
  private final SparkPasses runner;
  private final JobPlan plan;
  private final Passes.Packed packed;
  private final Map<Integer, long[]> starts = new HashMap<>();
  private final Set<SparkRows> open = new HashSet<>();
  private final StepTasks tasks;
  private final int mostRanges;

  /**
   * @param mostRanges of a mode's rows, where the plan does not cut them
   */
  SparkSite(
      JavaSparkContext context,
      SparkTensor tensor,
      SparkPasses runner,
      JobPlan plan,
      Passes.Packed packed,
      int mostRanges) {
    this.context = context;
    this.tensor = tensor;
    this.runner = runner;
    this.plan = plan;
    this.packed = packed;
    this.mostRanges = mostRanges;
    this.tasks = new StepTasks(context, runner.measurements(), plan.resources(), plan.job().name());
  }

  /** Rows in the latest version; versions before it are gone. */
  private final class SparkRows implements Rows {
    private final int mode;
    private final int columns;
    private final ValueType type;
    private @Nullable FactorVersion version;
    private final BlockSpace home = BlockSpace.next(); // copies of the rows live as long
    private @Nullable BlockSpace space;
    private @Nullable Sent<DenseMatrix> given;

    SparkRows(int mode, int columns, ValueType type) {
      this.mode = mode;
      this.columns = columns;
      this.type = type;
      open.add(this);
    }

    FactorVersion version() {
      if (version == null) {
        throw new IllegalStateException("rows of mode " + mode + " were read before any step");
      }
      return version;
    }

    /** A matrix of the driver is sent to each process once. */
    SparkRows from(RowSource source, long[] ranges) {
      RowSource there = source;
      if (source instanceof RowSource.Matrix matrix) {
        given = Wire.send(context, matrix.matrix());
        there = new SentRows(given, source.rows(), source.columns());
      }
      GivenRows rows = new GivenRows(there, mode, tensor.originalCoordinates());
      version = new FactorVersion(mode, 0, columns, type, ranges, rows);
      return this;
    }

    /** The rows are those of a new space of blocks. */
    void replace(BlockSpace blocks, RowPlace[] places) {
      long number = version == null ? 1 : version.number() + 1;
      StoredRows stored = new StoredRows(blocks.number(), starts(mode), places, false);
      version = new FactorVersion(mode, number, columns, type, starts(mode), stored);
      release();
      space = blocks;
    }

    private void release() {
      if (space != null) {
        tasks.remove(space);
        space = null;
      }
      if (given != null) {
        given.destroy();
        given = null;
      }
    }

    @Override
    public int mode() {
      return mode;
    }

    @Override
    public long count() {
      return shape().size(mode);
    }

    @Override
    public int columns() {
      return columns;
    }

    @Override
    public ValueType type() {
      return type;
    }

    @Override
    public void close() {
      release();
      home.remove(context.sc());
      version = null;
      open.remove(this);
    }
  }

  @Override
  public TensorShape shape() {
    return tensor.statistics().shape();
  }

  @Override
  public double normSquared() {
    return packed.normSquared();
  }

  @Override
  public long entries() {
    return packed.storedEntries();
  }

  @Override
  public List<ModeGroup> groups() {
    return plan.groups();
  }

  @Override
  public long place(int mode, long slice) {
    return tensor.place(mode, slice);
  }

  @Override
  public Rows rows(int mode, int columns, ValueType type) {
    return new SparkRows(mode, columns, type);
  }

  @Override
  public Rows random(int mode, int columns, ValueType type, long seed) {
    return given(mode, new RandomRows(seed, shape().size(mode), columns), type);
  }

  @Override
  public Rows given(int mode, RowSource source, ValueType type) {
    return new SparkRows(mode, source.columns(), type).from(source, starts(mode));
  }

  /** What a kernel reads of a matrix. */
  DenseOperand operand(ModePlan pass, Operand operand, RowSource source) {
    SparkRows rows = new SparkRows(operand.mode(), source.columns(), plan.job().valueType());
    return operand(pass, operand, rows.from(source, new long[] {0, source.rows()}));
  }

  /** The ranges of a mode's rows: a partition's slices, or whole blocks of all rows. */
  private long[] starts(int mode) {
    return starts.computeIfAbsent(mode, key -> RangesOfRows.starts(plan, key, mostRanges));
  }

  @Override
  public Sums run(Step step) {
    long start = System.nanoTime();
    runner.describe(plan.job().name() + ": " + step.about());
    Map<String, BlockSpace> spaces = new HashMap<>();
    step.written().forEach(name -> spaces.put(name, BlockSpace.next()));
    boolean done = false;
    try {
      RowsStep sent = sent(step, spaces);
      Sums sums = Sums.zeros(step.operations());
      Map<RowPlace, RowPlace> known = new HashMap<>(); // a place travels with every task, once
      RowPlace[] places = new RowPlace[sent.starts().length - 1];
      for (StepPart part : parts(step, sent)) {
        sums.add(part.sums());
        places[part.range()] = known.computeIfAbsent(part.place(), key -> key);
      }
      spaces.forEach((name, space) -> rows(step, name).replace(space, places));
      done = true;
      step.product()
          .ifPresent(
              made -> runner.ran(plan.modes().get(made.statement()), System.nanoTime() - start));
      return sums;
    } finally {
      if (!done) {
        spaces.values().forEach(tasks::remove);
      }
    }
  }

  private static <T> T get(Map<String, T> byName, String name) {
    T value = byName.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is not in " + byName.keySet());
    }
    return value;
  }

  private static SparkRows rows(Step step, String name) {
    return (SparkRows) get(step.rows(), name);
  }

  private RowsStep sent(Step step, Map<String, BlockSpace> spaces) {
    Map<String, FactorVersion> read = new HashMap<>();
    step.read().forEach(name -> read.put(name, rows(step, name).version()));
    Map<String, RowsStep.Target> written = new HashMap<>();
    spaces.forEach(
        (name, space) -> {
          Rows rows = rows(step, name);
          written.put(name, new RowsStep.Target(rows.columns(), rows.type(), space.number()));
        });
    return new RowsStep(
        runner.image(),
        step.operations(),
        SmallMatrix.of(step.small()),
        step.product().map(Step.Product::name).orElse(""),
        plan.job().valueType(),
        read,
        written,
        starts(step.mode()),
        plan.resources().kernelThreads());
  }

  /** The ranges of rows, in order, finished and stored. */
  private List<StepPart> parts(Step step, RowsStep sent) {
    Optional<Step.Product> product = step.product();
    if (product.isEmpty()) {
      plan.modes().stream()
          .filter(runner::isResident)
          .findFirst()
          .ifPresent(pass -> tasks.standByFirst(runner.resident(pass)));
      return SharedRows.inOrder(
          tasks.collect(places(sent), () -> ranges(sent), PartitionWork.each(sent::run)));
    }
    ModePlan pass = plan.modes().get(product.get().statement());
    List<DenseOperand> operands = new ArrayList<>();
    for (Operand operand : pass.kernel().operands()) {
      SparkRows factor = (SparkRows) product.get().factors().get(operand.mode());
      operands.add(operand(pass, operand, factor));
    }
    BlockSpace space = BlockSpace.next();
    boolean used = true;
    try {
      OwnedRows work = new OwnedRows(runner.step(pass, operands), sent, space.number());
      if (!runner.isResident(pass)) {
        tasks.rest();
      }
      ResidentTensor resident = runner.resident(pass);
      List<StepPart> made = tasks.collect(resident, work);
      for (StepPart part : made) {
        if (part.place() != null) {
          resident.isAt(part.partition(), part.place());
        }
      }
      used = made.stream().anyMatch(part -> part.range() == StepPart.PART);
      return SharedRows.finished(context, tasks, pass, sent, space.number(), made);
    } finally {
      if (used) {
        tasks.remove(space);
      }
    }
  }

  /** What a kernel reads of rows. */
  private static DenseOperand operand(ModePlan pass, Operand operand, SparkRows factor) {
    return new DenseOperand(
        operand.name(),
        operand.isVector(),
        pass.kernel().isSliced(operand),
        factor.version(),
        factor.home);
  }

  /** What the rows that a step reads lie by, if by the ranges of the step. */
  private static Optional<StoredRows> nearest(RowsStep sent) {
    return sent.read().values().stream()
        .filter(version -> version.source() instanceof StoredRows)
        .filter(version -> Arrays.equals(version.starts(), sent.starts()))
        .max(Comparator.comparingInt(FactorVersion::columns))
        .map(version -> (StoredRows) version.source());
  }

  private static Map<Integer, RowPlace> places(RowsStep sent) {
    return nearest(sent)
        .map(StoredRows::byRange)
        .orElseGet(
            () ->
                IntStream.range(0, sent.starts().length - 1)
                    .boxed()
                    .collect(Collectors.toMap(range -> range, range -> SharedRows.ANYWHERE)));
  }

  /** A task for each range, where the rows that it reads lie. */
  private JavaRDD<Integer> ranges(RowsStep sent) {
    return nearest(sent)
        .map(stored -> FactorBlocks.ranges(context, stored.byRange()))
        .orElseGet(() -> anywhere(sent.starts().length - 1));
  }

  private JavaRDD<Integer> ranges(FactorVersion version) {
    return version.source() instanceof StoredRows stored
        ? FactorBlocks.ranges(context, stored.byRange())
        : anywhere(version.ranges());
  }

  private JavaRDD<Integer> anywhere(int ranges) {
    List<Integer> all = IntStream.range(0, ranges).boxed().toList();
    return context.parallelize(all, Math.max(1, Math.min(ranges, context.defaultParallelism())));
  }

  @Override
  public DenseMatrix collect(Rows rows) {
    return moved(rows.mode(), packed(rows), tensor.originalCoordinates());
  }

  @Override
  public DenseMatrix result(Factor factor) {
    int mode = factor.rows().mode();
    DenseMatrix result = moved(mode, packed(factor.rows()), tensor.resultRelabelling());
    for (int c = 0; c < result.chunkCount(); c++) {
      FactorRange.scale(result.chunk(c), factor.scale());
    }
    return result;
  }

  @Override
  public void write(List<Factor> factors, List<String> uris) {
    write(factors, tensor.resultRelabelling(), uris);
  }

  @Override
  public void save(Rows rows, String uri) {
    double[] ones = new double[rows.columns()];
    Arrays.fill(ones, 1);
    write(List.of(new Factor(rows, ones)), tensor.originalCoordinates(), List.of(uri));
  }

  /** A task for each factor writes. Rows that get other numbers are sorted by them first. */
  private void write(List<Factor> factors, @Nullable Shared<Relabelling> back, List<String> uris) {
    tasks.rest();
    runner.describe(plan.job().name() + ": write " + String.join(", ", uris));
    RowFiles together = runner.rowFiles();
    for (int f = 0; f < factors.size(); f++) {
      FactorVersion version = ((SparkRows) factors.get(f).rows()).version();
      double[] scale = factors.get(f).scale();
      if (back == null) {
        together.add(version, scale, uris.get(f));
        continue;
      }
      JavaRDD<RowBlock> blocks =
          ranges(version).mapPartitions(FactorRange.scaledRows(version, scale)::of);
      TensorShape shape = TensorShape.of(version.rows(), version.columns());
      runner
          .rowsFile(uris.get(f))
          .writeRows(blocks.mapPartitions(new OriginalRows(back, version.mode())), shape);
    }
    together.write(context);
  }

  private static DenseMatrix moved(
      int mode, DenseMatrix rows, @Nullable Shared<Relabelling> relabelling) {
    return relabelling == null ? rows : relabelling.value().applyToRows(mode, rows);
  }

  /** Most bytes that the rows of a range have on the driver. */
  private static long rangeBytes(FactorVersion version) {
    long[] starts = version.starts();
    long most =
        IntStream.range(1, starts.length).mapToLong(n -> starts[n] - starts[n - 1]).max().orElse(0);
    return Math.max(1, most * version.columns() * Double.BYTES);
  }

  private DenseMatrix packed(Rows rows) {
    FactorVersion version = ((SparkRows) rows).version();
    List<Integer> ranges = IntStream.range(0, version.ranges()).boxed().toList();
    tasks.rest();
    runner.describe(plan.job().name() + ": collect rows of mode " + version.mode());
    double[] ones = new double[version.columns()];
    Arrays.fill(ones, 1);
    Iterator<RowBlock> blocks =
        Wire.iterator(
            context.parallelize(ranges, Math.max(1, ranges.size())),
            FactorRange.scaledRows(version, ones),
            (int) Math.max(1, COLLECTED_BYTES / rangeBytes(version)));
    DenseMatrix matrix = DenseMatrix.zeros(version.rows(), version.columns());
    while (blocks.hasNext()) {
      RowBlock block = blocks.next();
      for (int row = 0; row < block.rows(); row++) {
        matrix.setRow(block.firstRow() + row, block.values(), row * version.columns());
      }
    }
    return matrix;
  }

  @Override
  public void close() {
    tasks.close();
    List.copyOf(open).forEach(SparkRows::close);
  }
}
