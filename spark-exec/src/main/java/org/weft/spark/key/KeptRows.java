package org.weft.spark.key;

import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.weft.spark.wire.PartitionWork;
import org.weft.spark.wire.Wire;

/**
 * Rows that executors hold, in memory or on local disks, until this is closed.
 *
 * @param summaries of their parts
 */
public record KeptRows(Wire.Kept<KeyedRows> kept, List<KeySummary> summaries)
    implements AutoCloseable {
  /**
   * Reads {@code rows}.
   *
   * @param name for Spark's page of storage
   */
  public static KeptRows of(JavaRDD<KeyedRows> rows, String name) {
    Wire.Kept<KeyedRows> kept = Wire.keep(rows, name);
    try {
      return new KeptRows(kept, Wire.collect(kept.values(), PartitionWork.each(KeySummary::of)));
    } catch (Exception e) { // also those of Spark, which are not declared
      kept.release(false);
      throw e;
    }
  }

  public JavaRDD<KeyedRows> values() {
    return kept.values();
  }

  /** Their number. */
  public long rows() {
    return summaries.stream().mapToLong(KeySummary::rows).sum();
  }

  /** Rows beside these that cannot be used. */
  public long rejected() {
    return summaries.stream().mapToLong(KeySummary::rejected).sum();
  }

  @Override
  public void close() {
    kept.release(false);
  }
}
