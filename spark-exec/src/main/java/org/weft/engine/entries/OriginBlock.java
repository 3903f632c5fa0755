package org.weft.engine.entries;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.weft.tensor.CooBlock;

/**
 * Entries on their way to a partition.
 *
 * @param origin order of the entries in the input: the number of the input split in the upper 32
 *     bits, of the block within the split in the lower
 */
public record OriginBlock(long origin, CooBlock block) {
  public void writeTo(DataOutput out) throws IOException {
    out.writeLong(origin);
    block.writeTo(out);
  }

  public static OriginBlock readFrom(DataInput in) throws IOException {
    return new OriginBlock(in.readLong(), CooBlock.readFrom(in));
  }
}
