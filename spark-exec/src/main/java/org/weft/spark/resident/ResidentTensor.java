package org.weft.spark.resident;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.storage.StorageLevel;
import org.weft.engine.Measurements;
import org.weft.engine.entries.OriginBlock;
import org.weft.planner.PackedForm;
import org.weft.spark.exchange.RowPlace;
import org.weft.spark.wire.PartitionWork;
import org.weft.spark.wire.Wire;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** The driver's handle of a tensor that lies packed on the executors, cut along one mode. */
public final class ResidentTensor implements AutoCloseable {
  private static final int COUNTED_ENTRIES = 1 << 14;

  private final JavaRDD<ResidentPartition> partitions;
  private final List<PartitionSummary> summaries;
  private final Map<Integer, RowPlace> places = new ConcurrentHashMap<>();

  private ResidentTensor(JavaRDD<ResidentPartition> partitions, List<PartitionSummary> summaries) {
    this.partitions = partitions;
    this.summaries = summaries;
    summaries.forEach(summary -> places.put(summary.partition(), summary.place()));
  }

  /**
   * Shuffles and packs; returns when every partition is resident. If that fails, what was packed is
   * freed.
   *
   * @param blocks keyed by partition, partitioned by that key
   * @param first the first of their partitions that belongs to this tensor
   */
  public static ResidentTensor pack(
      JavaPairRDD<Integer, OriginBlock> blocks,
      int first,
      PackedForm form,
      TensorShape shape,
      Measurements measurements) {
    JavaRDD<ResidentPartition> partitions =
        new ResidentRdd(blocks.rdd(), first, form, shape, measurements).toJavaRDD();
    return made(partitions, shape + " by mode " + form.partitioning().mode());
  }

  /**
   * Reads the parts of a container; returns when every partition is resident. If that fails, what
   * was read is freed.
   */
  public static ResidentTensor load(StoredRdd stored, String name) {
    return made(stored.toJavaRDD(), name);
  }

  private static ResidentTensor made(JavaRDD<ResidentPartition> partitions, String name) {
    partitions.setName(name);
    partitions.persist(StorageLevel.MEMORY_ONLY());
    boolean packed = false;
    try {
      List<PartitionSummary> summaries =
          Wire.collect(partitions, PartitionWork.each(PartitionSummary::of));
      List<PartitionSummary> ordered =
          summaries.stream().sorted(Comparator.comparingInt(PartitionSummary::partition)).toList();
      packed = true;
      return new ResidentTensor(partitions, ordered);
    } finally {
      if (!packed) {
        release(partitions);
      }
    }
  }

  /** The partitions; tasks over them run where they are resident. */
  public JavaRDD<ResidentPartition> partitions() {
    return partitions;
  }

  /** Where each partition was seen last, by number. */
  public Map<Integer, RowPlace> places() {
    return Map.copyOf(places);
  }

  /** A partition was packed again elsewhere: its executor was lost. */
  public void isAt(int partition, RowPlace place) {
    places.put(partition, place);
  }

  /** Entries after duplicates were summed. */
  public long storedEntries() {
    return summaries.stream().mapToLong(PartitionSummary::storedEntries).sum();
  }

  /** Entries that repeated the coordinates of another. */
  public long duplicates() {
    return summaries.stream().mapToLong(s -> s.entries() - s.storedEntries()).sum();
  }

  /** Statistics of the stored entries of partitions that are not rebased. */
  public TensorStatistics.Builder count() {
    return Wire.collect(partitions, PartitionWork.each(ResidentTensor::count)).stream()
        .reduce(TensorStatistics.Builder::merge)
        .orElseThrow();
  }

  private static TensorStatistics.Builder count(ResidentPartition partition) {
    TensorStorage storage = partition.lease();
    TensorStatistics.Builder counts = TensorStatistics.builder(storage.shape().order());
    Packing.unpackBlocks(storage, COUNTED_ENTRIES).forEachRemaining(counts::add);
    return counts;
  }

  /** Squared Frobenius norm with duplicates summed; added up in partition order. */
  public double normSquared() {
    double sum = 0;
    for (PartitionSummary summary : summaries) {
      sum += summary.normSquared();
    }
    return sum;
  }

  /** Off-heap bytes on all executors. */
  public long byteSize() {
    return summaries.stream().mapToLong(PartitionSummary::bytes).sum();
  }

  /** Frees the partitions: at once in this process, within a second on other executors. */
  @Override
  public void close() {
    release(partitions);
  }

  private static void release(JavaRDD<ResidentPartition> partitions) {
    if (!partitions.context().isStopped()) {
      partitions.unpersist(true);
    }
    ResidentMemory.PROCESS.sweep();
  }
}
