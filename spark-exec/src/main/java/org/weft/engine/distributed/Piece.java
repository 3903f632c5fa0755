package org.weft.engine.distributed;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.weft.tensor.CooBlock;

/**
 * Entries on their way to a part.
 *
 * @param part where they go
 * @param slot what they are for: the number of an operand of a statement
 * @param origin orders the pieces of a slot: the order of the input, or the part that made them
 */
public record Piece(int part, int slot, long origin, CooBlock entries) {
  /** A piece without entries for each of {@code parts}, which a step there turns into others. */
  public static List<Piece> seeds(int parts) {
    CooBlock none = new CooBlock.Builder(0, 0).build();
    return IntStream.range(0, parts).mapToObj(part -> new Piece(part, 0, part, none)).toList();
  }

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
