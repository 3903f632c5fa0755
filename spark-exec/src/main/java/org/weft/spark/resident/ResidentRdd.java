package org.weft.spark.resident;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.RangeDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.memory.MemoryStore;
import org.weft.engine.Measurements;
import org.weft.engine.TaskMeasurement;
import org.weft.engine.entries.OriginBlock;
import org.weft.planner.PackedForm;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;
import org.weft.spark.read.NumberedPartition;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * Packs the shuffled blocks of each partition off heap, once per executor: one {@link
 * ResidentPartition} per partition. Persist it deserialized in memory; a lost partition is packed
 * again from the shuffle files. Blocks are packed in the order of their origin, so that sums of
 * duplicates have the same bits whatever the order of arrival.
 */
public final class ResidentRdd extends RDD<ResidentPartition> {
  private static final long serialVersionUID = 1L;

  private final int first;
  private final PackedForm form;
  private final TensorShape shape;
  private final Measurements measurements;
  private final transient List<String> executors;

  /**
   * @param shuffled blocks keyed by partition, partitioned by that key; maybe those of other modes
   *     too
   * @param first which partition of {@code shuffled} is the first one here
   * @param form whose outermost level stores the partitioned mode
   * @param shape of the whole tensor
   * @param measurements receives the time to fetch and to pack of each partition
   */
  public ResidentRdd(
      RDD<Tuple2<Integer, OriginBlock>> shuffled,
      int first,
      PackedForm form,
      TensorShape shape,
      Measurements measurements) {
    super(
        shuffled.sparkContext(),
        CollectionConverters.asScala(
                List.<Dependency<?>>of(
                    new RangeDependency<>(shuffled, first, 0, form.partitioning().partitions())))
            .toSeq(),
        ClassTag$.MODULE$.apply(ResidentPartition.class));
    this.first = first;
    this.form = form;
    this.shape = shape;
    this.measurements = measurements;
    this.executors =
        executors(shuffled.sparkContext())
            .map(id -> "executor_" + id.host() + "_" + id.executorId())
            .toList();
  }

  @Override
  public Partition[] getPartitions() {
    return NumberedPartition.array(form.partitioning().partitions());
  }

  /**
   * Neighbouring partitions go to the same executor, which then reads the same rows of operands
   * where the labels of the tensor are good.
   */
  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    int count = executors.size();
    ModePartitioning partitioning = form.partitioning();
    return CollectionConverters.asScala(
            count < 2
                ? List.<String>of()
                : List.of(
                    executors.get(
                        (int)
                            ((long) partitioning.place(split.index())
                                * count
                                / partitioning.partitions()))))
        .toSeq();
  }

  /** The executors that are there, by id. */
  public static Stream<BlockManagerId> executors(SparkContext context) {
    return CollectionConverters.asJava(context.env().blockManager().master().getMemoryStatus())
        .keySet()
        .stream()
        .filter(id -> !id.isDriver())
        .sorted(Comparator.comparing(BlockManagerId::executorId));
  }

  @Override
  public Iterator<ResidentPartition> compute(Partition split, TaskContext task) {
    long start = System.nanoTime();
    List<OriginBlock> arrived = new ArrayList<>();
    long entries = 0;
    RDD<Tuple2<Integer, OriginBlock>> shuffled = parent();
    Iterator<Tuple2<Integer, OriginBlock>> blocks =
        shuffled.iterator(shuffled.partitions()[first + split.index()], task);
    while (blocks.hasNext()) {
      OriginBlock block = blocks.next()._2();
      arrived.add(block);
      entries += block.block().size();
    }
    arrived.sort(Comparator.comparingLong(OriginBlock::origin));
    List<CooBlock> inOrder = arrived.stream().map(OriginBlock::block).toList();
    arrived.clear();
    long fetched = System.nanoTime();
    ResidentPartition packed = pack(split.index(), inOrder, entries);
    long done = System.nanoTime();
    measurements.add(TaskMeasurement.of("fetch", split.index(), fetched - start, entries, 0, 0));
    measurements.add(
        TaskMeasurement.of("pack", split.index(), done - fetched, entries, 0, packed.byteSize()));
    return CollectionConverters.asScala(List.of(packed).iterator());
  }

  private ResidentPartition pack(int partition, List<CooBlock> blocks, long entries) {
    SliceRange range = form.partitioning().ranges().get(partition);
    int mode = form.partitioning().mode();
    RDDBlockId block = new RDDBlockId(id(), partition);
    MemoryStore store = SparkEnv.get().blockManager().memoryStore();
    BooleanSupplier wanted = () -> store.contains(block);
    String what = "partition " + partition + " of mode " + mode + " (" + entries + " entries)";
    ResidentMemory.Entry entry = ResidentMemory.PROCESS.open(block, what, wanted);
    TensorShape local = form.shape(shape, range);
    TensorStorage storage =
        Packing.pack(entry.scope(), local, form.format(), blocks, form.offset(range));
    return new ResidentPartition(
        partition, range, entries, Packing.sumOfSquares(storage, 1), storage, entry);
  }

  @SuppressWarnings("unchecked")
  private RDD<Tuple2<Integer, OriginBlock>> parent() {
    return (RDD<Tuple2<Integer, OriginBlock>>)
        (RDD<?>) firstParent(ClassTag$.MODULE$.apply(Tuple2.class));
  }
}
