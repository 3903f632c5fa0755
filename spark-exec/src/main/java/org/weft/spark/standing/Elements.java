package org.weft.spark.standing;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockResult;
import org.apache.spark.storage.RDDBlockId;
import org.weft.spark.resident.ResidentPartition;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** What work is applied to, by number, on the executor that has it. */
@FunctionalInterface
public interface Elements<T> extends Serializable {
  /** The elements of a partition; the caller reads all of them. */
  Iterator<T> of(int partition);

  /** The number itself. */
  static Elements<Integer> numbers() {
    return partition -> List.of(partition).iterator();
  }

  /**
   * The packed partitions of a resident tensor.
   *
   * @param rdd its number
   */
  @SuppressWarnings("unchecked")
  static Elements<ResidentPartition> resident(int rdd) {
    return partition -> {
      RDDBlockId block = new RDDBlockId(rdd, partition);
      Option<BlockResult> found = SparkEnv.get().blockManager().getLocalValues(block);
      if (found.isEmpty()) {
        throw new IllegalStateException(block + " is not on this executor any more");
      }
      scala.collection.Iterator<?> data = found.get().data();
      return CollectionConverters.asJava((scala.collection.Iterator<ResidentPartition>) data);
    };
  }
}
