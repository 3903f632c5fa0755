package org.weft.spark.key;

import java.io.Serializable;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.PartitionPruningRDD;
import scala.runtime.AbstractFunction1;

/** Selects a range of the partitions of an RDD. Spark does not compute the other partitions. */
final class PartitionsBetween extends AbstractFunction1<Object, Object> implements Serializable {
  private static final long serialVersionUID = 1L;

  private final int from;
  private final int to;

  private PartitionsBetween(int from, int to) {
    this.from = from;
    this.to = to;
  }

  /** The partitions {@code from} to {@code to}, exclusive. */
  static <T> JavaRDD<T> of(JavaRDD<T> all, int from, int to) {
    return PartitionPruningRDD.create(all.rdd(), new PartitionsBetween(from, to)).toJavaRDD();
  }

  @Override
  public Object apply(Object partition) {
    return from <= (Integer) partition && (Integer) partition < to;
  }
}
