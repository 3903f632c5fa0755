package org.weft.spark.resident;

import java.io.Serializable;
import org.weft.spark.exchange.RowPlace;

/**
 * What the driver knows of a packed partition.
 *
 * @param entries received, duplicates included
 * @param storedEntries after duplicates were summed
 * @param normSquared of the stored values
 * @param bytes off heap
 * @param place where it is
 */
public record PartitionSummary(
    int partition, long entries, long storedEntries, double normSquared, long bytes, RowPlace place)
    implements Serializable {

  static PartitionSummary of(ResidentPartition partition) {
    return new PartitionSummary(
        partition.partition(),
        partition.entries(),
        partition.storedEntries(),
        partition.normSquared(),
        partition.byteSize(),
        FactorBlocks.here());
  }
}
