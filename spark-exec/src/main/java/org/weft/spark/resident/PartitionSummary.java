package org.weft.spark.resident;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * What the driver knows of a packed partition.
 *
 * @param entries received, duplicates included
 * @param storedEntries after duplicates were summed
 * @param normSquared of the stored values
 * @param bytes off heap
 */
public record PartitionSummary(
    int partition, long entries, long storedEntries, double normSquared, long bytes) {

  static PartitionSummary of(ResidentPartition partition) {
    return new PartitionSummary(
        partition.partition(),
        partition.entries(),
        partition.storedEntries(),
        partition.normSquared(),
        partition.byteSize());
  }

  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(partition);
    out.writeLong(entries);
    out.writeLong(storedEntries);
    out.writeDouble(normSquared);
    out.writeLong(bytes);
  }

  public static PartitionSummary readFrom(DataInput in) throws IOException {
    return new PartitionSummary(
        in.readInt(), in.readLong(), in.readLong(), in.readDouble(), in.readLong());
  }
}
