package org.weft.spark.wire;

import org.apache.spark.Partitioner;

/** Sends a key that is a partition's number, or begins with it, to that partition. */
public final class PartitionNumber extends Partitioner {
  private static final long serialVersionUID = 1L;

  private final int partitions;

  public PartitionNumber(int partitions) {
    this.partitions = partitions;
  }

  @Override
  public int numPartitions() {
    return partitions;
  }

  @Override
  public int getPartition(Object key) {
    return key instanceof long[] numbers ? (int) numbers[0] : (Integer) key;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PartitionNumber that && partitions == that.partitions;
  }

  @Override
  public int hashCode() {
    return partitions;
  }
}
