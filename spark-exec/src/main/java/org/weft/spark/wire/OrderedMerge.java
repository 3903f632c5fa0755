package org.weft.spark.wire;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function2;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/**
 * Values merged in the order of their partitions, whichever partition ends first: sums have the
 * same bits each time. On the driver it takes the results of partitions as they arrive.
 */
final class OrderedMerge<T> extends AbstractFunction2<Object, byte[][], BoxedUnit> {
  /** Most values that the driver merges itself; a stage more takes longer than to merge these. */
  private static final int MERGED_BY_DRIVER = 32;

  private final Function2<T, T, T> merge;
  private final Map<Integer, byte[][]> early = new HashMap<>();
  private int next;
  private @Nullable T all;

  OrderedMerge(Function2<T, T, T> merge) {
    this.merge = merge;
  }

  /** The values in so few partitions that the driver merges them itself. */
  static <T> JavaRDD<T> few(JavaRDD<T> values, Function2<T, T, T> merge) {
    JavaRDD<T> few = values;
    while (few.getNumPartitions() > MERGED_BY_DRIVER) {
      few = inGroups(few, merge);
    }
    return few;
  }

  /** One partition for the values of each group of neighbouring partitions. */
  private static <T> JavaRDD<T> inGroups(JavaRDD<T> values, Function2<T, T, T> merge) {
    int partitions = values.getNumPartitions();
    int groups = (int) Math.ceil(Math.sqrt(partitions));
    JavaPairRDD<long[], T> numbered =
        values
            .mapPartitionsWithIndex(
                (partition, some) -> {
                  long[] key = {(long) partition * groups / partitions, partition};
                  return merged(some, merge).stream().map(one -> new Tuple2<>(key, one)).iterator();
                },
                false)
            .mapToPair(pair -> pair);
    Comparator<long[]> byPartition = (Comparator<long[]> & Serializable) Arrays::compare;
    return Wire.shuffle(numbered, new PartitionNumber(groups), byPartition)
        .map(Tuple2::_2)
        .mapPartitions(some -> merged(some, merge).iterator());
  }

  /** The values as one; none without one. */
  static <T> List<T> merged(Iterator<T> values, Function2<T, T, T> merge) {
    OrderedMerge<T> all = new OrderedMerge<>(merge);
    values.forEachRemaining(all::add);
    return all.values();
  }

  private void add(T value) {
    try {
      all = all == null ? value : merge.call(all, value);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  List<T> values() {
    return all == null ? List.of() : List.of(all);
  }

  @Override
  public BoxedUnit apply(Object partition, byte[][] values) {
    early.put((Integer) partition, values);
    for (byte[][] some = early.remove(next); some != null; some = early.remove(next)) {
      for (byte[] value : some) {
        add(Wire.value(value));
      }
      next++;
    }
    return BoxedUnit.UNIT;
  }
}
