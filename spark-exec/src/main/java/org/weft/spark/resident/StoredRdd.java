package org.weft.spark.resident;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.memory.MemoryStore;
import org.weft.engine.StoredPartitions;
import org.weft.planner.PackedForm;
import org.weft.planner.partition.SliceRange;
import org.weft.spark.read.NumberedPartition;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * The parts of a container as resident partitions: read straight into off-heap memory where a task
 * runs, without shuffle and packing. Persist it deserialized in memory; a lost partition is read
 * again.
 */
public final class StoredRdd extends RDD<ResidentPartition> {
  private static final long serialVersionUID = 1L;

  private final StoredPartitions stored;
  private final PackedForm form;
  private final transient List<List<String>> hosts;

  /**
   * @param form with levels and mode order of the container, and the widths and type to be had
   */
  public StoredRdd(
      SparkContext context, FileAccess files, StoredPartitions stored, PackedForm form) {
    super(
        context,
        CollectionConverters.asScala(List.<Dependency<?>>of()).toSeq(),
        ClassTag$.MODULE$.apply(ResidentPartition.class));
    this.stored = stored;
    this.form = form;
    Container container = stored.container();
    this.hosts =
        IntStream.range(0, stored.partitioning().partitions())
            .map(stored::part)
            .mapToObj(part -> files.hosts(container.file(part), container.offset(part)))
            .toList();
  }

  @Override
  public Partition[] getPartitions() {
    return NumberedPartition.array(stored.partitioning().partitions());
  }

  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    return CollectionConverters.asScala(hosts.get(split.index())).toSeq();
  }

  @Override
  public Iterator<ResidentPartition> compute(Partition split, TaskContext task) {
    int partition = split.index();
    int part = stored.part(partition);
    Container container = stored.container();
    SliceRange range = stored.partitioning().ranges().get(partition);
    RDDBlockId block = new RDDBlockId(id(), partition);
    MemoryStore store = SparkEnv.get().blockManager().memoryStore();
    BooleanSupplier wanted = () -> store.contains(block);
    String what = "part " + part + " of " + container.uri();
    ResidentMemory.Entry entry = ResidentMemory.PROCESS.open(block, what, wanted);
    TensorShape local = form.shape(container.shape(), range);
    TensorStorage storage =
        container.load(entry.scope(), part, form.format(), local, form.offset(range));
    ResidentPartition loaded =
        new ResidentPartition(
            partition, range, container.entries(part), container.normSquared(part), storage, entry);
    return CollectionConverters.asScala(List.of(loaded).iterator());
  }
}
