package org.weft.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobClock;
import org.weft.engine.Measurements;
import org.weft.engine.ProcessMemory;
import org.weft.engine.StoredPartitions;
import org.weft.engine.distributed.Parts;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.OriginBlock;
import org.weft.planner.InputReading;
import org.weft.planner.PackedForm;
import org.weft.planner.partition.EqualNonzeros;
import org.weft.planner.partition.ModePartitioning;
import org.weft.spark.read.ParsedPart;
import org.weft.spark.read.SlicedSplits;
import org.weft.spark.read.SplitByPartition;
import org.weft.spark.read.SplitRdd;
import org.weft.spark.read.SplitStatistics;
import org.weft.spark.resident.ResidentTensor;
import org.weft.spark.resident.StoredRdd;
import org.weft.spark.wire.PartitionNumber;
import org.weft.spark.wire.Wire;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.InputPlan;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * A tensor on Spark: its parsed entries, cached serialized on the executors, and its packed copies,
 * one per form that a job has asked for, which stay off heap until they are released.
 */
final class SparkTensor extends EngineTensor {
  private final JavaSparkContext context;
  private final FileAccess files;
  private final ParsedEntries parsed;
  private final @Nullable InputPlan plan;
  private final Map<PackedForm, ResidentTensor> resident = new LinkedHashMap<>();

  private SparkTensor(
      JavaSparkContext context,
      FileAccess files,
      String uri,
      ValueType valueType,
      ParsedEntries parsed,
      TensorStatistics statistics,
      @Nullable Order order,
      @Nullable SparkTensor source,
      @Nullable Container container,
      @Nullable InputPlan plan,
      ReadCost cost) {
    super(uri, valueType, statistics, order, source, container, cost);
    this.context = context;
    this.files = files;
    this.parsed = parsed;
    this.plan = plan;
  }

  /** Parses, counts and caches in one pass; a container has been counted when it was written. */
  static SparkTensor read(
      JavaSparkContext context, FileAccess files, InputPlan plan, ValueType valueType) {
    long start = System.nanoTime();
    if (plan.header().details() instanceof Container container) {
      JavaRDD<ParsedPart> entries = SplitRdd.joined(context.sc(), files, plan).toJavaRDD();
      return new SparkTensor(
          context,
          files,
          plan.uri(),
          valueType,
          ParsedEntries.inFiles(entries, "entries of " + plan.uri()),
          container.statistics(),
          Order.stored(new SparkBlocks(context, entries), container),
          null,
          container,
          plan,
          new ReadCost(
              System.nanoTime() - start, ProcessMemory.peakResidentBytes(), reading(plan)));
    }
    SplitRdd splits = SplitRdd.of(context.sc(), files, plan);
    Wire.Kept<ParsedPart> kept = Wire.keep(splits.toJavaRDD(), "entries of " + plan.uri());
    JavaRDD<ParsedPart> parsed = kept.values();
    try (JobName name = JobName.open(context.sc(), "read " + plan.uri())) {
      JavaRDD<SplitStatistics> each =
          parsed.map(ParsedPart::statistics).filter(statistics -> statistics != null);
      SplitStatistics all = Wire.reduce(each, SplitStatistics::merge);
      plan.verify(all.summary());
      TensorShape shape = all.summary().shape(plan.header());
      return new SparkTensor(
          context,
          files,
          plan.uri(),
          valueType,
          ParsedEntries.of(kept, sliced(parsed, all.blocks(), context.defaultParallelism())),
          all.values().build(shape),
          null,
          null,
          null,
          null,
          new ReadCost(
              System.nanoTime() - start,
              Math.max(all.peakResidentBytes(), ProcessMemory.peakResidentBytes()),
              reading(plan)));
    } catch (Exception e) {
      kept.release(true);
      throw Failures.unwrap(e);
    }
  }

  /** Of entries that executors have or make; kept and counted in one pass. */
  static SparkTensor of(
      JavaSparkContext context,
      FileAccess files,
      String name,
      JavaRDD<CooBlock> entries,
      TensorShape shape,
      ValueType type,
      InputReading reading) {
    long start = System.nanoTime();
    int order = shape.order();
    Wire.Kept<ParsedPart> kept = kept(name, entries);
    try {
      TensorStatistics.Builder counts =
          Wire.reduce(
              kept.values()
                  .mapPartitions(
                      parts -> {
                        TensorStatistics.Builder count = TensorStatistics.builder(order).sampling();
                        new SparkBlocks.Blocks(parts).forEachRemaining(b -> count.add(b.block()));
                        return List.of(count).iterator();
                      }),
              TensorStatistics.Builder::merge);
      return of(context, files, name, type, kept, counts.build(shape), reading, start);
    } catch (Exception e) {
      kept.release(true);
      throw Failures.unwrap(e);
    }
  }

  /** Of entries of the driver, which counts them. */
  static SparkTensor ofDriver(
      JavaSparkContext context,
      FileAccess files,
      String name,
      List<CooBlock> entries,
      TensorShape shape,
      ValueType type) {
    long start = System.nanoTime();
    TensorStatistics.Builder counts = TensorStatistics.builder(shape.order()).sampling();
    entries.forEach(counts::add);
    Wire.Kept<ParsedPart> kept = kept(name, Wire.distribute(context, entries, 1));
    return of(context, files, name, type, kept, counts.build(shape), InputReading.free(), start);
  }

  private static Wire.Kept<ParsedPart> kept(String name, JavaRDD<CooBlock> entries) {
    return Wire.keep(
        entries.mapPartitionsWithIndex(
            (part, blocks) -> new Numbered((long) part << 32, blocks), false),
        "entries of " + name);
  }

  private static SparkTensor of(
      JavaSparkContext context,
      FileAccess files,
      String name,
      ValueType type,
      Wire.Kept<ParsedPart> kept,
      TensorStatistics statistics,
      InputReading reading,
      long start) {
    return new SparkTensor(
        context,
        files,
        name,
        type,
        ParsedEntries.of(kept),
        statistics,
        null,
        null,
        null,
        null,
        new ReadCost(System.nanoTime() - start, ProcessMemory.peakResidentBytes(), reading));
  }

  /** Of what a step makes of the parsed entries. */
  SparkTensor select(String name, TensorShape shape, EntryBlocks.Step<CooBlock> step) {
    JavaRDD<CooBlock> made =
        parsed.parts().mapPartitions(parts -> step.run(new SparkBlocks.Blocks(parts)), true);
    return of(context, files, name, made, shape, valueType(), reading().withoutLayout());
  }

  /** Blocks as parts, numbered from an origin. */
  private static final class Numbered implements Iterator<ParsedPart> {
    private final Iterator<CooBlock> blocks;
    private long origin;

    Numbered(long first, Iterator<CooBlock> blocks) {
      this.origin = first;
      this.blocks = blocks;
    }

    @Override
    public boolean hasNext() {
      return blocks.hasNext();
    }

    @Override
    public ParsedPart next() {
      return ParsedPart.of(new OriginBlock(origin++, blocks.next()));
    }
  }

  /**
   * At least {@code tasks} tasks over the parsed entries.
   *
   * @param blocks number of blocks, by split
   */
  private static JavaRDD<ParsedPart> sliced(
      JavaRDD<ParsedPart> parsed, Map<Integer, Long> blocks, int tasks) {
    int slices = (tasks + blocks.size() - 1) / blocks.size();
    if (slices <= 1) {
      return parsed;
    }
    long[] counts = new long[blocks.size()];
    blocks.forEach((split, count) -> counts[split] = count);
    return SlicedSplits.of(parsed.rdd(), counts, slices).toJavaRDD();
  }

  @Override
  public EntryBlocks entries() {
    return new SparkBlocks(context, parsed.parts());
  }

  @Override
  protected Parts parsedParts() {
    return SparkParts.of(context, files, parsed.parts());
  }

  @Override
  protected EngineTensor under(Order newOrder, TensorStatistics moved) {
    return new SparkTensor(
        context, files, uri(), valueType(), parsed, moved, newOrder, this, null, null, cost());
  }

  /** Whether the packed copy of this form exists. */
  boolean isResident(PackedForm form) {
    return resident.containsKey(form);
  }

  /** The packed copy of this form; made if it does not exist yet. */
  ResidentTensor resident(PackedForm form, JobClock clock) {
    makeResident(List.of(form), clock);
    return Objects.requireNonNull(resident.get(form));
  }

  /**
   * Makes the packed copies of these forms that do not exist yet, which {@code clock} hears of. One
   * pass over the entries sends them to the partitions of all forms.
   */
  void makeResident(List<PackedForm> forms, JobClock clock) {
    List<PackedForm> shuffled = new ArrayList<>();
    for (PackedForm form : forms) {
      if (!isResident(form) && !read(form, clock)) {
        shuffled.add(form);
      }
    }
    if (!shuffled.isEmpty()) {
      long start = System.nanoTime();
      pack(shuffled, clock.measurements(), resident);
      clock.packed("shuffle", System.nanoTime() - start);
    }
  }

  /** Makes a form of parts of the file alone, if each partition has its own. */
  private boolean read(PackedForm form, JobClock clock) {
    long start = System.nanoTime();
    StoredPartitions stored = stored(form);
    if (stored != null) {
      resident.put(form, load(stored, form));
      clock.add("read", System.nanoTime() - start);
      return true;
    }
    List<List<Integer>> parts = partsOf(form.partitioning());
    if (plan == null || parts.isEmpty()) {
      return false;
    }
    resident.put(form, packParts(plan, parts, form, clock.measurements()));
    clock.packed("read", System.nanoTime() - start);
    return true;
  }

  /** What lies in the files as the kernel wants it is read straight into its place. */
  private ResidentTensor load(StoredPartitions parts, PackedForm form) {
    return ResidentTensor.load(
        new StoredRdd(context.sc(), files, parts, form),
        "parts of " + uri() + " by mode " + parts.partitioning().mode());
  }

  private void pack(
      List<PackedForm> forms, Measurements measurements, Map<PackedForm, ResidentTensor> made) {
    List<ModePartitioning> modes = forms.stream().map(PackedForm::partitioning).distinct().toList();
    JavaPairRDD<Integer, OriginBlock> entries = split(modes);
    for (PackedForm form : forms) {
      made.put(
          form,
          ResidentTensor.pack(
              entries,
              SplitByPartition.first(modes, modes.indexOf(form.partitioning())),
              form,
              statistics().shape(),
              measurements));
    }
  }

  /** Each partition reads the parts of the file that have entries of it. */
  private ResidentTensor packParts(
      InputPlan file, List<List<Integer>> parts, PackedForm form, Measurements measurements) {
    SplitByPartition cut = new SplitByPartition(List.of(form.partitioning()), null);
    JavaPairRDD<Integer, OriginBlock> own =
        JavaPairRDD.fromJavaRDD(
            SplitRdd.of(context.sc(), files, file, parts)
                .toJavaRDD()
                .mapPartitionsWithIndex(cut::of, true));
    return ResidentTensor.pack(own, 0, form, statistics().shape(), measurements);
  }

  /** The parsed entries, sent to the partitions of each of these modes, one after the other. */
  JavaPairRDD<Integer, OriginBlock> split(List<ModePartitioning> modes) {
    return Wire.shuffle(
        parsed.once().mapPartitionsToPair(new SplitByPartition(modes, parsedRelabelling())),
        new PartitionNumber(SplitByPartition.first(modes, modes.size())),
        null);
  }

  @Override
  protected long countDuplicates() {
    if (!resident.isEmpty()) {
      return resident.values().iterator().next().duplicates();
    }
    if (statistics().shape().order() == 0) {
      return Math.max(0, statistics().entries() - 1);
    }
    try (JobName name = JobName.open(context.sc(), "count the duplicates of " + uri());
        ResidentTensor packed = packedToCount()) {
      return packed.duplicates();
    }
  }

  private ResidentTensor packedToCount() {
    int partitions = Math.max(1, context.defaultParallelism());
    ModePartitioning partitioning =
        new EqualNonzeros()
            .partition(0, statistics().shape().size(0), statistics().histogram(0), partitions);
    PackedForm form = new PackedForm(partitioning, false, countedFormat());
    Map<PackedForm, ResidentTensor> made = new LinkedHashMap<>();
    pack(List.of(form), new SparkMeasurements(context.sc()), made);
    return Objects.requireNonNull(made.get(form));
  }

  @Override
  protected TensorStatistics countSummed() {
    TensorShape shape = statistics().shape();
    if (shape.order() == 0) {
      throw new IllegalStateException(uri() + ": a number in several entries");
    }
    try (JobName name = JobName.open(context.sc(), "count the entries of " + uri());
        ResidentTensor packed = packedToCount()) {
      return packed.count().build(shape);
    }
  }

  @Override
  public long residentBytes() {
    return resident.values().stream().mapToLong(ResidentTensor::byteSize).sum();
  }

  @Override
  public void releaseResident() {
    resident.values().forEach(ResidentTensor::close);
    resident.clear();
  }

  @Override
  protected void releaseEntries() {
    parsed.release();
  }
}
