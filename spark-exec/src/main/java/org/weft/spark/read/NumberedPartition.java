package org.weft.spark.read;

import java.util.Arrays;
import org.apache.spark.Partition;

/** A partition that is only a number. */
public final class NumberedPartition implements Partition {
  private static final long serialVersionUID = 1L;

  private final int index;

  private NumberedPartition(int index) {
    this.index = index;
  }

  public static Partition[] array(int count) {
    Partition[] partitions = new Partition[count];
    Arrays.setAll(partitions, NumberedPartition::new);
    return partitions;
  }

  @Override
  public int index() {
    return index;
  }
}
