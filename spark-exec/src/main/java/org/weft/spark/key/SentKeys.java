package org.weft.spark.key;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.weft.spark.label.StoredLabels;
import org.weft.storage.container.Container;
import scala.Tuple2;

/**
 * Sends keys of rows to the tasks that number them, and with them the labels of a tensor that the
 * rows are added to.
 */
final class SentKeys {
  /** Of labels of the tensor: after the keys of all rows. */
  private static final long LABELS = Long.MAX_VALUE;

  private static final int SHARE_LABELS = 1 << 16;

  private SentKeys() {}

  /**
   * Shares of keys, by range, origin and fingerprint of their rows.
   *
   * @param base the tensor that is added to, or null
   */
  static JavaPairRDD<long[], KeyShare> of(
      JavaRDD<KeyedRows> rows, List<KeySpace> spaces, KeyBounds bounds, @Nullable Container base) {
    JavaPairRDD<long[], KeyShare> shares =
        JavaPairRDD.fromJavaRDD(
            rows.mapPartitionsWithIndex(
                (partition, parts) -> new OfRows(partition, parts, bounds), false));
    if (base == null) {
      return shares;
    }
    JavaSparkContext context = JavaSparkContext.fromSparkContext(rows.context());
    for (int s = 0; s < spaces.size(); s++) {
      int space = s;
      KeyLabels kind = spaces.get(space).labels();
      // Behind the rows, whose partitions keep their numbers.
      shares =
          shares.union(
              JavaPairRDD.fromJavaRDD(
                  StoredLabels.each(context, base, spaces.get(space).mode())
                      .mapPartitions(labels -> new OfLabels(labels, bounds, space, kind))));
    }
    return shares;
  }

  private static final class OfRows extends Flattened<KeyedRows, Tuple2<long[], KeyShare>> {
    private final int partition;
    private final KeyBounds bounds;
    private int at;

    OfRows(int partition, Iterator<KeyedRows> rows, KeyBounds bounds) {
      super(rows);
      this.partition = partition;
      this.bounds = bounds;
    }

    @Override
    void take(KeyedRows rows, List<Tuple2<long[], KeyShare>> into) {
      long origin = OrderedPairs.origin(partition, at++);
      long fingerprint = rows.fingerprint();
      KeyShare.each(
          rows,
          bounds,
          (range, share) ->
              into.add(new Tuple2<>(OrderedPairs.key(range, origin, fingerprint), share)));
    }
  }

  private static final class OfLabels
      extends Flattened<StoredLabels.Stored, Tuple2<long[], KeyShare>> {
    private final KeyBounds bounds;
    private final int space;
    private final KeyLabels kind;

    OfLabels(Iterator<StoredLabels.Stored> labels, KeyBounds bounds, int space, KeyLabels kind) {
      super(labels);
      this.bounds = bounds;
      this.space = space;
      this.kind = kind;
    }

    @Override
    void take(StoredLabels.Stored first, List<Tuple2<long[], KeyShare>> into) {
      List<StoredLabels.Stored> labels = new ArrayList<>(List.of(first));
      while (labels.size() < SHARE_LABELS && source.hasNext()) {
        labels.add(source.next());
      }
      KeyShare.ofLabels(
          labels,
          bounds,
          space,
          kind,
          (range, share) -> into.add(new Tuple2<>(OrderedPairs.key(range, LABELS, 0), share)));
    }
  }
}
