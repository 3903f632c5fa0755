package org.weft.spark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.EqualNonzeros;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePartitioning;
import org.weft.planner.ModePlan;
import org.weft.planner.PackedForm;
import org.weft.planner.PlannerOptions;
import org.weft.reorder.Relabelling;
import org.weft.spark.metrics.ProcessMemory;
import org.weft.spark.order.ReorderChoice;
import org.weft.spark.order.SampledOrder;
import org.weft.spark.read.ParsedPart;
import org.weft.spark.read.PartitionNumber;
import org.weft.spark.read.SlicedSplits;
import org.weft.spark.read.SplitByPartition;
import org.weft.spark.read.SplitRdd;
import org.weft.spark.read.SplitStatistics;
import org.weft.spark.resident.OriginBlock;
import org.weft.spark.resident.ResidentTensor;
import org.weft.spark.resident.StoredPartitions;
import org.weft.spark.resident.StoredRdd;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadSummary;
import org.weft.storage.container.Container;
import org.weft.tensor.ModeHistogram;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStatistics;
import org.weft.tensor.ValueType;

/**
 * A tensor on Spark: its parsed entries, cached serialized on the executors, and its packed copies,
 * one per form that a job has asked for, which stay off heap until {@link #unpersist}. Not
 * thread-safe.
 */
public final class SparkTensor {
  private static final int COLLECTED_SPLITS = 64;

  private final JavaSparkContext context;
  private final FileAccess files;
  private final @Nullable Container container;
  private final @Nullable StoredPartitions stored;
  private final String uri;
  private final ValueType valueType;
  private final JavaRDD<ParsedPart> parsed;
  private final JavaRDD<ParsedPart> sliced;
  private final TensorStatistics statistics;
  private final @Nullable Order order;
  private final @Nullable SparkTensor source;
  private @Nullable TensorStatistics original;
  private boolean orderKept;
  private final long readNanos;
  private final long readPeakBytes;
  private final Map<PackedForm, ResidentTensor> resident = new LinkedHashMap<>();
  private boolean reported;
  private long reorderNanos;

  /**
   * New coordinates, which the packed copies have. Those of the parsed entries stay as they are:
   * the original ones, or for a container that was reordered those that it stores.
   *
   * @param there from original coordinates
   * @param back to original coordinates
   * @param parsed from the coordinates of the parsed entries; null if the packed copies have those
   */
  private record Order(
      Broadcast<Relabelling> there,
      Broadcast<Relabelling> back,
      @Nullable Broadcast<Relabelling> parsed) {
    void unpersist() {
      there.unpersist();
      back.unpersist();
      if (parsed != null) {
        parsed.unpersist();
      }
    }
  }

  private SparkTensor(
      JavaSparkContext context,
      FileAccess files,
      String uri,
      ValueType valueType,
      JavaRDD<ParsedPart> parsed,
      JavaRDD<ParsedPart> sliced,
      TensorStatistics statistics,
      @Nullable Order order,
      @Nullable SparkTensor source,
      @Nullable Container container,
      long readNanos,
      long readPeakBytes) {
    this.context = context;
    this.files = files;
    this.container = container;
    this.stored = Optional.ofNullable(container).flatMap(StoredPartitions::of).orElse(null);
    this.uri = uri;
    this.valueType = valueType;
    this.parsed = parsed;
    this.sliced = sliced;
    this.statistics = statistics;
    this.order = order;
    this.source = source;
    this.readNanos = readNanos;
    this.readPeakBytes = readPeakBytes;
  }

  /** Parses, counts and caches in one pass; a container has been counted when it was written. */
  static SparkTensor read(
      JavaSparkContext context, FileAccess files, InputPlan plan, ValueType valueType) {
    long start = System.nanoTime();
    if (plan.header().details() instanceof Container container) {
      JavaRDD<ParsedPart> entries = new SplitRdd(context.sc(), files, plan).toJavaRDD();
      entries.setName("entries of " + plan.uri());
      entries.persist(StorageLevel.MEMORY_AND_DISK_SER());
      TensorStatistics statistics = container.statistics();
      return new SparkTensor(
          context,
          files,
          plan.uri(),
          valueType,
          entries,
          entries,
          statistics,
          stored(context, container),
          null,
          container,
          System.nanoTime() - start,
          ProcessMemory.peakResidentBytes());
    }
    JavaRDD<ParsedPart> parsed = new SplitRdd(context.sc(), files, plan).toJavaRDD();
    parsed.setName("entries of " + plan.uri());
    parsed.persist(StorageLevel.MEMORY_AND_DISK_SER());
    try (JobName name = JobName.open(context.sc(), "read " + plan.uri())) {
      JavaRDD<SplitStatistics> each =
          parsed.map(ParsedPart::statistics).filter(statistics -> statistics != null);
      JavaRDD<ParsedPart> sliced = parsed;
      SplitStatistics all;
      if (plan.splits().size() <= COLLECTED_SPLITS) {
        List<SplitStatistics> collected = each.collect();
        sliced = sliced(parsed, collected, context.defaultParallelism());
        all = collected.stream().reduce(SplitStatistics::merge).orElseThrow();
      } else {
        all = each.treeReduce(SplitStatistics::merge);
      }
      plan.verify(all.summary());
      TensorShape shape = shape(plan, all.summary());
      return new SparkTensor(
          context,
          files,
          plan.uri(),
          valueType,
          parsed,
          sliced,
          all.values().build(shape),
          null,
          null,
          null,
          System.nanoTime() - start,
          Math.max(all.peakResidentBytes(), ProcessMemory.peakResidentBytes()));
    } catch (Exception e) {
      parsed.unpersist(true);
      throw Failures.unwrap(e);
    }
  }

  /** The order that a container's entries were written in, or null for the original one. */
  private static @Nullable Order stored(JavaSparkContext context, Container container) {
    Map<Integer, int[]> labels = container.permutations();
    if (labels.isEmpty()) {
      return null;
    }
    Relabelling there = Relabelling.ofLabels(container.shape(), labels);
    return new Order(context.broadcast(there), context.broadcast(there.inverse()), null);
  }

  /** At least {@code tasks} tasks over the parsed entries. */
  private static JavaRDD<ParsedPart> sliced(
      JavaRDD<ParsedPart> parsed, List<SplitStatistics> splits, int tasks) {
    int slices = (tasks + splits.size() - 1) / splits.size();
    if (slices <= 1) {
      return parsed;
    }
    long[] blocks = new long[splits.size()];
    for (SplitStatistics split : splits) {
      blocks[split.split()] = split.blocks();
    }
    return new SlicedSplits(parsed.rdd(), blocks, slices).toJavaRDD();
  }

  private static TensorShape shape(InputPlan plan, ReadSummary summary) {
    return summary.shape(plan.header());
  }

  public String uri() {
    return uri;
  }

  /**
   * This tensor with its coordinates changed while it is packed. The parsed entries are shared:
   * this tensor must not be unpersisted before the new one. Jobs on the new tensor take operands in
   * original coordinates and give results in them, unless {@link #keepOrder}.
   *
   * @param ordering from the coordinates of the parsed entries, or from the original ones if it is
   *     {@link Ordering#isGiven given}; a mode may have more of them than the file
   */
  SparkTensor reordered(Ordering ordering) {
    long start = System.nanoTime();
    if (source != null) {
      throw new IllegalStateException(uri + " is reordered already");
    }
    Relabelling relabelling = ordering.relabelling().orElseThrow();
    requireCovered(relabelling);
    TensorShape shape = relabelling.shape();
    Relabelling there = relabelling;
    if (order != null && ordering.isGiven()) {
      relabelling = order.back().value().extendedTo(shape).andThen(there);
    } else if (order != null) {
      there = order.there().value().andThen(relabelling);
    }
    Broadcast<Relabelling> sent = context.broadcast(there);
    Broadcast<Relabelling> parsedThere = order == null ? sent : context.broadcast(relabelling);
    SparkTensor reordered =
        new SparkTensor(
            context,
            files,
            uri,
            valueType,
            parsed,
            sliced,
            statistics.withHistograms(shape, moved(parsedThere)),
            new Order(sent, context.broadcast(there.inverse()), parsedThere),
            this,
            null,
            readNanos,
            readPeakBytes);
    reordered.reported = reported;
    reordered.ordered(ordering);
    reordered.reorderNanos += System.nanoTime() - start;
    return reordered;
  }

  private void requireCovered(Relabelling relabelling) {
    TensorShape shape = relabelling.shape();
    for (int mode = 0; mode < statistics.shape().order(); mode++) {
      if (relabelling.order() != statistics.shape().order()
          || shape.size(mode) < statistics.shape().size(mode)) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            uri
                + ": expected permutations of at least "
                + statistics.shape()
                + " coordinates, found "
                + shape);
      }
    }
  }

  /** From now on results have the coordinates of the packed copies. */
  void keepOrder() {
    orderKept = true;
  }

  /** Notes the time that went into an order, or into the decision for none. */
  void ordered(Ordering ordering) {
    reorderNanos += (long) (ordering.seconds() * 1e9);
  }

  /** What finds an order of the parsed entries. */
  SampledOrder sampledOrder() {
    return new SampledOrder(context, sliced, statistics.shape(), statistics.entries());
  }

  /** What decides on an order for a job on the parsed entries. */
  ReorderChoice reorderChoice(JobPlan plan, PlannerOptions options) {
    return new ReorderChoice(context, sliced, plan, options.partitioner(), options.machine());
  }

  /** The time of {@link #ordered} for the first report that asks, 0 afterwards. */
  long takeReorderNanos() {
    long nanos = reorderNanos;
    reorderNanos = 0;
    return nanos;
  }

  /** The histograms under new coordinates; exact ones are moved, others counted again. */
  List<ModeHistogram> moved(Broadcast<Relabelling> there) {
    if (!statistics.histograms().stream().allMatch(ModeHistogram::isExact)) {
      return count(sliced, there).build(there.value().shape()).histograms();
    }
    List<ModeHistogram> histograms = new ArrayList<>();
    for (int mode = 0; mode < statistics.shape().order(); mode++) {
      ModeHistogram from = statistics.histogram(mode);
      ModeHistogram to = new ModeHistogram();
      for (int slice = 0; slice < from.buckets(); slice++) {
        to.add(there.value().mode(mode).apply(slice), from.count(slice));
      }
      histograms.add(to);
    }
    return histograms;
  }

  private static TensorStatistics.Builder count(
      JavaRDD<ParsedPart> parts, Broadcast<Relabelling> there) {
    return parts
        .mapPartitions(
            some -> {
              TensorStatistics.Builder counts = TensorStatistics.builder(there.value().order());
              while (some.hasNext()) {
                OriginBlock block = some.next().block();
                if (block != null) {
                  counts.add(there.value().apply(block.block()));
                }
              }
              return List.of(counts).iterator();
            })
        .treeReduce(TensorStatistics.Builder::merge);
  }

  /** From original coordinates to those of the packed copies, if they differ. */
  public @Nullable Relabelling relabelling() {
    return order == null ? null : order.there().value();
  }

  /** From the coordinates of the packed copies to those of results, if they differ. */
  @Nullable Broadcast<Relabelling> resultRelabelling() {
    return order == null || orderKept ? null : order.back();
  }

  /** Statistics of the entries under original coordinates. */
  TensorStatistics originalStatistics() {
    TensorStatistics known = original;
    if (known == null) {
      if (order == null) {
        known = statistics;
      } else if (source == null) {
        known = statistics.withHistograms(statistics.shape(), moved(order.back()));
      } else {
        known = source.originalStatistics().withShape(statistics.shape());
      }
      original = known;
    }
    return known;
  }

  /** Shape, histograms and values of the packed entries, duplicates counted apart. */
  public TensorStatistics statistics() {
    return statistics;
  }

  public ValueType valueType() {
    return valueType;
  }

  /** Elapsed ns of reading. */
  public long readNanos() {
    return readNanos;
  }

  /** The reading time for the first report that asks, 0 afterwards: it is spent once. */
  long takeReadNanos(JobClock clock) {
    clock.peak("driver", readPeakBytes);
    long nanos = reported ? 0 : readNanos;
    reported = true;
    return nanos;
  }

  /**
   * The packed copy that {@code pass} needs; made if it does not exist yet, which {@code clock}
   * hears of.
   */
  ResidentTensor resident(ModePlan pass, JobClock clock) {
    PackedForm form = pass.form();
    ResidentTensor present = resident.get(form);
    if (present == null) {
      long start = System.nanoTime();
      if (stored != null
          && stored.partitioning().equals(form.partitioning())
          && stored.container().fits(form.format())) {
        present = load(stored, form);
        clock.add("read", System.nanoTime() - start);
      } else {
        present = pack(form, clock);
        clock.packed(System.nanoTime() - start);
      }
      resident.put(form, present);
    }
    return present;
  }

  /** What lies in the files as the kernel wants it is read straight into its place. */
  private ResidentTensor load(StoredPartitions parts, PackedForm form) {
    return ResidentTensor.load(
        new StoredRdd(context.sc(), files, parts, form.local(), form.format()),
        "parts of " + uri + " by mode " + parts.partitioning().mode());
  }

  /** The partitions in which the tensor lies in its files, or null. */
  @Nullable ModePartitioning storedPartitioning() {
    return stored == null ? null : stored.partitioning();
  }

  private ResidentTensor pack(PackedForm form, JobClock clock) {
    return ResidentTensor.pack(
        split(form.partitioning()),
        form.partitioning(),
        form.local(),
        statistics.shape(),
        form.format(),
        clock.measurements());
  }

  /** The parsed entries, sent to the partitions of a mode. */
  JavaPairRDD<Integer, OriginBlock> split(ModePartitioning partitioning) {
    return sliced
        .mapPartitionsToPair(
            new SplitByPartition(partitioning, order == null ? null : order.parsed()))
        .partitionBy(new PartitionNumber(partitioning.partitions()));
  }

  /**
   * Entries that repeat the coordinates of another. Known once a job has packed the tensor;
   * otherwise packs it for the count and frees it again.
   */
  public long duplicates() {
    if (container != null && container.isDistinct()) {
      return 0;
    }
    if (!resident.isEmpty()) {
      return resident.values().iterator().next().duplicates();
    }
    if (statistics.shape().order() == 0) {
      return Math.max(0, statistics.entries() - 1);
    }
    int partitions = Math.max(1, context.defaultParallelism());
    ModePartitioning partitioning =
        new EqualNonzeros()
            .partition(0, statistics.shape().size(0), statistics.histogram(0), partitions);
    TensorFormat format =
        TensorFormat.csf(statistics.shape().order(), valueType)
            .narrowedFor(statistics.shape(), statistics.entries());
    JobClock clock = new JobClock(context.sc(), partitions);
    try (JobName name = JobName.open(context.sc(), "count the duplicates of " + uri);
        ResidentTensor packed = pack(new PackedForm(partitioning, false, format), clock)) {
      return packed.duplicates();
    }
  }

  /** Off-heap bytes of all packed copies, on all executors. */
  public long residentBytes() {
    return resident.values().stream().mapToLong(ResidentTensor::byteSize).sum();
  }

  /** Frees the packed copies; the parsed entries stay cached. */
  public void releaseResident() {
    resident.values().forEach(ResidentTensor::close);
    resident.clear();
  }

  /** Frees everything that is this tensor's own; calling it again does nothing. */
  public void unpersist() {
    releaseResident();
    if (order != null) {
      order.unpersist();
    }
    if (source == null) {
      parsed.unpersist(true);
    }
  }
}
