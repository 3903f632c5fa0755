package org.weft.spark.wire;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
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
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import scala.math.Ordering;
import scala.math.Ordering$;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/**
 * Values of RDDs on their way between processes. What Spark serializes by the application's
 * serializer (results, cached blocks, slices of the driver's lists) goes as byte arrays; shuffles
 * name Weft's serializer themselves.
 */
public final class Wire {
  private static final String REGISTRATOR = "org.weft.spark.kryo.WeftRegistrator";
  private static final Serializer SERIALIZER = serializer();
  private static final ThreadLocal<SerializerInstance> OWN =
      ThreadLocal.withInitial(SERIALIZER::newInstance);

  private Wire() {}

  /** A Kryo that knows the types that Weft sends, and refuses others. */
  private static Serializer serializer() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.kryo.registrationRequired", "true")
            .set("spark.kryo.registrator", REGISTRATOR)
            .set("spark.kryoserializer.buffer.max", "2047m");
    return new KryoSerializer(conf).setDefaultClassLoader(Wire.class.getClassLoader());
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

  /** All values, on the driver. */
  public static <T> List<T> collect(JavaRDD<T> values) {
    RDD<T> rdd = values.rdd();
    Object[] partitions = (Object[]) rdd.context().runJob(rdd, new BytesOfPartition<T>(), any());
    List<T> all = new ArrayList<>();
    for (Object partition : partitions) {
      for (Object value : (Object[]) partition) {
        all.add(Wire.value((byte[]) value));
      }
    }
    return all;
  }

  /**
   * The bytes of a partition's values. A class and no closure: what a closure holds is found by
   * Spark in the bytes of its class, which takes longer than a small job.
   */
  private static final class BytesOfPartition<T>
      extends AbstractFunction2<TaskContext, scala.collection.Iterator<T>, Object>
      implements Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Object apply(TaskContext task, scala.collection.Iterator<T> values) {
      List<byte[]> all = new ArrayList<>();
      while (values.hasNext()) {
        all.add(Wire.bytes(values.next()));
      }
      return all.toArray();
    }
  }

  /** The values one partition after the other, on the driver. */
  public static <T> Iterator<T> iterator(JavaRDD<T> values) {
    Iterator<byte[]> bytes = values.map(Wire::bytes).toLocalIterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return bytes.hasNext();
      }

      @Override
      public T next() {
        return Wire.value(bytes.next());
      }
    };
  }

  /**
   * The merged values; merged on executors, so that the driver holds few at a time.
   *
   * @throws UnsupportedOperationException if there is none
   */
  public static <T> T reduce(JavaRDD<T> values, Function2<T, T, T> merge) {
    return Wire.value(
        values
            .map(Wire::bytes)
            .treeReduce((a, b) -> Wire.bytes(merge.call(Wire.value(a), Wire.value(b)))));
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
    /** Gives the kept bytes up. */
    public void release(boolean blocking) {
      bytes.unpersist(blocking);
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
