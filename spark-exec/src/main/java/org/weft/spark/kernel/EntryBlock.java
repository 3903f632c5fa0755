package org.weft.spark.kernel;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.weft.tensor.CooBlock;

/**
 * Consecutive entries of a sparse result, computed by one partition.
 *
 * @param firstSlice first slice of the partition
 * @param sequence number of the block within its partition
 * @param partial whether other partitions have results for the same slices, to be summed
 * @param entries in the coordinates and modes of the whole result
 */
public record EntryBlock(
    long firstSlice, int partition, int sequence, boolean partial, CooBlock entries) {

  public void writeTo(DataOutput out) throws IOException {
    out.writeLong(firstSlice);
    out.writeInt(partition);
    out.writeInt(sequence);
    out.writeBoolean(partial);
    entries.writeTo(out);
  }

  public static EntryBlock readFrom(DataInput in) throws IOException {
    return new EntryBlock(
        in.readLong(), in.readInt(), in.readInt(), in.readBoolean(), CooBlock.readFrom(in));
  }
}
