package org.weft.spark.key;

import java.io.Serializable;
import java.util.Comparator;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.weft.spark.wire.PartitionNumber;
import org.weft.spark.wire.Wire;
import scala.Tuple2;

/**
 * Sends pairs to the partitions that their keys name. A key has three numbers: a partition, an
 * origin, and a fingerprint. Pairs arrive in a partition in the order of their origins.
 */
final class OrderedPairs {
  private OrderedPairs() {}

  /** Where the {@code at}-th rows of a partition are: numbers that order as the rows do. */
  static long origin(int partition, int at) {
    return (long) partition << Integer.SIZE | at;
  }

  /** The partition of the rows at {@code origin}. */
  static int partition(long origin) {
    return (int) (origin >>> Integer.SIZE);
  }

  static long[] key(int partition, long origin, long fingerprint) {
    return new long[] {partition, origin, fingerprint};
  }

  static long origin(long[] key) {
    return key[1];
  }

  static long fingerprint(long[] key) {
    return key[2];
  }

  /** Sends {@code pairs} to {@code partitions}. */
  static <V> JavaRDD<Tuple2<long[], V>> sent(JavaPairRDD<long[], V> pairs, int partitions) {
    return Wire.shuffle(pairs, new PartitionNumber(partitions), new Order()).map(pair -> pair);
  }

  private static final class Order implements Comparator<long[]>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public int compare(long[] one, long[] other) {
      return Long.compare(origin(one), origin(other));
    }
  }
}
