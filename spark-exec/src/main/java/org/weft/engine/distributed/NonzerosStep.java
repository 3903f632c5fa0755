package org.weft.engine.distributed;

import java.util.Iterator;
import org.weft.memory.MemoryScope;

/** Leaves out zeros, which are no entries of a tensor in a format that pads. */
public record NonzerosStep() implements Parts.Step {
  @Override
  public Iterator<Piece> run(int part, Iterator<Piece> pieces, MemoryScope scope) {
    return new MappedPieces(pieces, Columns::nonzeros);
  }
}
