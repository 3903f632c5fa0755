package org.weft.spark.wire;

import com.esotericsoftware.kryo.Kryo;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.KryoRegistrator;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.math.Ordering;
import scala.math.Ordering$;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/**
 * Carries values of RDDs between processes. Spark serializes results, cached blocks and slices of
 * the driver's lists with the serializer of the application, so these values go as byte arrays.
 * Shuffles name Weft's own serializer.
 */
public final class Wire {
  private static final String REGISTRATOR = "org.weft.spark.kryo.WeftRegistrator";
  private static final Serializer SERIALIZER = new OwnKryo();

  private static final ThreadLocal<SerializerInstance> OWN =
      ThreadLocal.withInitial(SERIALIZER::newInstance);

  private Wire() {}

  /**
   * A Kryo that knows the types that Weft sends, and refuses others. There is one per process: a
   * task that brought its own would register all types again for each partition that it writes to.
   * It knows none of the hundreds of types that Spark registers, whose classes would be loaded in
   * each executor before its first task ends.
   */
  private static final class OwnKryo extends KryoSerializer {
    private static final long serialVersionUID = 1L;

    OwnKryo() {
      super(new SparkConf(false).set("spark.kryoserializer.buffer.max", "2047m"));
    }

    @Override
    public Kryo newKryo() {
      Kryo kryo = new Kryo();
      kryo.setRegistrationRequired(true);
      kryo.setReferences(false);
      kryo.setClassLoader(Wire.class.getClassLoader());
      registrator().registerClasses(kryo);
      return kryo;
    }

    /** By its name: it knows the packages that send, which know this one. */
    private static KryoRegistrator registrator() {
      try {
        return (KryoRegistrator) Class.forName(REGISTRATOR).getConstructor().newInstance();
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(REGISTRATOR + " is not where Weft is", e);
      }
    }

    private Object readResolve() {
      return SERIALIZER;
    }
  }

  private static <T> ClassTag<T> any() {
    return ClassTag$.MODULE$.apply(Object.class);
  }

  /** The bytes of a value of a registered type. */
  public static byte[] bytes(Object value) {
    ByteBuffer bytes = OWN.get().serialize(value, any());
    return bytes.arrayOffset() == 0 && bytes.array().length == bytes.remaining()
        ? bytes.array()
        : Arrays.copyOfRange(
            bytes.array(), bytes.arrayOffset(), bytes.arrayOffset() + bytes.remaining());
  }

  /** The value of {@link #bytes}. */
  public static <T> T value(byte[] bytes) {
    return OWN.get().deserialize(ByteBuffer.wrap(bytes), any());
  }

  static void write(Object value, OutputStream out) {
    SerializationStream stream = OWN.get().serializeStream(out);
    stream.writeObject(value, any());
    stream.flush();
  }

  static Object read(InputStream in) {
    DeserializationStream stream = OWN.get().deserializeStream(in);
    return stream.readObject(any());
  }

  /** What is made of each partition, on the driver, in the order of the partitions. */
  public static <T, R> List<R> collect(JavaRDD<T> over, PartitionWork<T, R> work) {
    List<R> all = new ArrayList<>();
    for (byte[][] partition : run(over, work, 0, over.getNumPartitions())) {
      for (byte[] value : partition) {
        all.add(Wire.value(value));
      }
    }
    return all;
  }

  /**
   * As {@link #collect}, of some partitions at a time.
   *
   * @param atATime partitions whose results the driver holds
   */
  public static <T, R> Iterator<R> iterator(
      JavaRDD<T> over, PartitionWork<T, R> work, int atATime) {
    return new Windows<>(over, work, atATime);
  }

  /** One Spark job: for each partition from the first to the last, the bytes of its values. */
  private static <T, R> byte[][][] run(
      JavaRDD<T> over, PartitionWork<T, R> work, int from, int to) {
    RDD<T> rdd = over.rdd();
    Object results =
        rdd.context()
            .runJob(
                rdd,
                new PartitionBytes<>(work),
                partitions(from, to),
                ClassTag$.MODULE$.apply(byte[][].class));
    return (byte[][][]) results;
  }

  private static Seq<Object> partitions(int from, int to) {
    List<Object> numbers = IntStream.range(from, to).mapToObj(n -> (Object) n).toList();
    return CollectionConverters.asScala(numbers).toSeq();
  }

  /**
   * The bytes of what is made of a partition. A class and no closure, and no RDD of its own: what a
   * closure holds is found by Spark in the bytes of its class, which takes longer than a small job.
   */
  private static final class PartitionBytes<T, R>
      extends AbstractFunction2<TaskContext, scala.collection.Iterator<T>, byte[][]>
      implements Serializable {
    private static final long serialVersionUID = 1L;

    private final PartitionWork<T, R> work;

    PartitionBytes(PartitionWork<T, R> work) {
      this.work = work;
    }

    @Override
    public byte[][] apply(TaskContext task, scala.collection.Iterator<T> elements) {
      List<byte[]> all = new ArrayList<>();
      work.of(CollectionConverters.asJava(elements))
          .forEachRemaining(value -> all.add(Wire.bytes(value)));
      return all.toArray(new byte[0][]);
    }
  }

  /** Results of an RDD, a job for some partitions at a time. */
  private static final class Windows<T, R> implements Iterator<R> {
    private final JavaRDD<T> over;
    private final PartitionWork<T, R> work;
    private final int atATime;
    private final Deque<byte[]> arrived = new ArrayDeque<>();
    private int partition;

    Windows(JavaRDD<T> over, PartitionWork<T, R> work, int atATime) {
      this.over = over;
      this.work = work;
      this.atATime = atATime;
    }

    @Override
    public boolean hasNext() {
      while (arrived.isEmpty() && partition < over.getNumPartitions()) {
        fetch();
      }
      return !arrived.isEmpty();
    }

    private void fetch() {
      int end = (int) Math.min(over.getNumPartitions(), (long) partition + atATime);
      for (byte[][] values : run(over, work, partition, end)) {
        arrived.addAll(Arrays.asList(values));
      }
      partition = end;
    }

    @Override
    public R next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return Wire.value(arrived.remove());
    }
  }

  /**
   * The merged values, in the order of the partitions. Values of many partitions are merged on
   * executors first, so that the driver merges few.
   *
   * @throws UnsupportedOperationException if there is none
   */
  public static <T> T reduce(JavaRDD<T> values, Function2<T, T, T> merge) {
    RDD<T> few = OrderedMerge.few(values, merge).rdd();
    OrderedMerge<T> merged = new OrderedMerge<>(merge);
    PartitionWork<T, T> work = elements -> OrderedMerge.merged(elements, merge).iterator();
    few.context()
        .runJob(
            few,
            new PartitionBytes<>(work),
            partitions(0, few.getNumPartitions()),
            merged,
            ClassTag$.MODULE$.apply(byte[][].class));
    return merged.values().stream()
        .findFirst()
        .orElseThrow(() -> new UnsupportedOperationException("expected a value, found none"));
  }

  /**
   * The values in at least one partition. Spark gives a table that it knows to be empty none, but
   * tasks count and write by partition.
   */
  public static <T> JavaRDD<T> partitioned(JavaRDD<T> values) {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(values.context());
    return values.getNumPartitions() == 0 ? distribute(context, List.of(), 1) : values;
  }

  /** Values of the driver in {@code partitions} partitions. */
  public static <T> JavaRDD<T> distribute(
      JavaSparkContext context, List<T> values, int partitions) {
    return context
        .parallelize(values.stream().map(Wire::bytes).toList(), partitions)
        .map(Wire::value);
  }

  /**
   * The pairs sent to the partitions that their keys name.
   *
   * @param order of the keys in a partition; null for that of their arrival
   */
  public static <K, V> JavaPairRDD<K, V> shuffle(
      JavaPairRDD<K, V> pairs, Partitioner partitioner, @Nullable Comparator<K> order) {
    ShuffledRDD<K, V, V> shuffled =
        new ShuffledRDD<K, V, V>(pairs.rdd(), partitioner, any(), any(), any())
            .setSerializer(SERIALIZER);
    if (order != null) {
      Ordering<K> ordering = Ordering$.MODULE$.comparatorToOrdering(order);
      shuffled.setKeyOrdering(ordering);
    }
    return JavaPairRDD.fromRDD(shuffled, any(), any());
  }

  /**
   * Values that executors keep in bytes, in memory or on disk, once they are computed.
   *
   * @param bytes what Spark keeps
   * @param values what is kept
   */
  public record Kept<T>(JavaRDD<byte[]> bytes, JavaRDD<T> values) {
    /** Gives the kept bytes up. A session that was stopped keeps none. */
    public void release(boolean blocking) {
      if (!bytes.context().isStopped()) {
        bytes.unpersist(blocking);
      }
    }
  }

  /**
   * Keeps {@code values} when they are first computed.
   *
   * @param name for Spark's page of storage; empty: none
   */
  public static <T> Kept<T> keep(JavaRDD<T> values, String name) {
    JavaRDD<byte[]> bytes = values.map(Wire::bytes);
    if (!name.isEmpty()) {
      bytes.setName(name);
    }
    bytes.persist(StorageLevel.MEMORY_AND_DISK_SER());
    return new Kept<>(bytes, bytes.map(Wire::value));
  }

  /** A value for all processes. */
  public static <T> Sent<T> send(JavaSparkContext context, T value) {
    return Sent.of(context, value);
  }
}
