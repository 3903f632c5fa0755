package org.weft.spark;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import org.weft.planner.EqualNonzeros;
import org.weft.planner.Merge;
import org.weft.planner.ModePartitioning;
import org.weft.planner.ModePlan;
import org.weft.planner.TensorStatistics;
import org.weft.spark.metrics.ProcessMemory;
import org.weft.spark.read.ParsedPart;
import org.weft.spark.read.PartitionNumber;
import org.weft.spark.read.SlicedSplits;
import org.weft.spark.read.SplitByPartition;
import org.weft.spark.read.SplitRdd;
import org.weft.spark.read.SplitStatistics;
import org.weft.spark.resident.OriginBlock;
import org.weft.spark.resident.ResidentTensor;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadSummary;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * A tensor on Spark: its parsed entries, cached serialized on the executors, and its packed copies,
 * one per mode that a job has partitioned by, which stay off heap until {@link #unpersist}. Not
 * thread-safe.
 */
public final class SparkTensor {
  private static final int COLLECTED_SPLITS = 64;

  private final JavaSparkContext context;
  private final String uri;
  private final ValueType valueType;
  private final JavaRDD<ParsedPart> parsed;
  private final JavaRDD<ParsedPart> sliced;
  private final TensorStatistics statistics;
  private final long readNanos;
  private final long readPeakBytes;
  private final Map<Packed, ResidentTensor> resident = new LinkedHashMap<>();
  private boolean reported;

  private record Packed(ModePartitioning partitioning, boolean rebased, TensorFormat format) {}

  private SparkTensor(
      JavaSparkContext context,
      String uri,
      ValueType valueType,
      JavaRDD<ParsedPart> parsed,
      JavaRDD<ParsedPart> sliced,
      TensorStatistics statistics,
      long readNanos,
      long readPeakBytes) {
    this.context = context;
    this.uri = uri;
    this.valueType = valueType;
    this.parsed = parsed;
    this.sliced = sliced;
    this.statistics = statistics;
    this.readNanos = readNanos;
    this.readPeakBytes = readPeakBytes;
  }

  /** Parses, counts and caches in one pass. */
  static SparkTensor read(
      JavaSparkContext context, FileAccess files, InputPlan plan, ValueType valueType) {
    long start = System.nanoTime();
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
          plan.uri(),
          valueType,
          parsed,
          sliced,
          all.values().build(shape),
          System.nanoTime() - start,
          Math.max(all.peakResidentBytes(), ProcessMemory.peakResidentBytes()));
    } catch (Exception e) {
      parsed.unpersist(true);
      throw Failures.unwrap(e);
    }
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

  /** Shape, histograms and values as the file has them, duplicates counted apart. */
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
    boolean rebased = pass.kernel().merge() == Merge.ROWS;
    TensorFormat format = pass.kernel().tensorFormat();
    Packed key = new Packed(pass.partitioning(), rebased, format);
    ResidentTensor present = resident.get(key);
    if (present == null) {
      long start = System.nanoTime();
      present = pack(pass.partitioning(), rebased, format, clock);
      resident.put(key, present);
      clock.packed(System.nanoTime() - start);
    }
    return present;
  }

  private ResidentTensor pack(
      ModePartitioning partitioning, boolean rebased, TensorFormat format, JobClock clock) {
    return ResidentTensor.pack(
        split(partitioning),
        partitioning,
        rebased,
        statistics.shape(),
        format,
        clock.measurements());
  }

  /** The parsed entries, sent to the partitions of a mode. */
  JavaPairRDD<Integer, OriginBlock> split(ModePartitioning partitioning) {
    return sliced
        .mapPartitionsToPair(new SplitByPartition(partitioning))
        .partitionBy(new PartitionNumber(partitioning.partitions()));
  }

  /**
   * Entries that repeat the coordinates of another. Known once a job has packed the tensor;
   * otherwise packs it for the count and frees it again.
   */
  public long duplicates() {
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
        ResidentTensor packed = pack(partitioning, false, format, clock)) {
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

  /** Frees everything; calling it again does nothing. */
  public void unpersist() {
    releaseResident();
    parsed.unpersist(true);
  }
}
