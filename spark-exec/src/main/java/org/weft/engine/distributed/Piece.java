package org.weft.engine.distributed;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.weft.tensor.CooBlock;

/**
 * Entries on their way to a part.
 *
 * @param part where they go
 * @param slot what they are for: the number of an operand of a statement
 * @param origin orders the pieces of a slot: the order of the input, or the part that made them
 */
public record Piece(int part, int slot, long origin, CooBlock entries) {
  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(part);
    out.writeInt(slot);
    out.writeLong(origin);
    entries.writeTo(out);
  }

  public static Piece readFrom(DataInput in) throws IOException {
    return new Piece(in.readInt(), in.readInt(), in.readLong(), CooBlock.readFrom(in));
  }
}
