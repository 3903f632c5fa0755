package org.weft.engine.distributed;

import java.util.Iterator;
import org.weft.memory.MemoryScope;
import org.weft.storage.model.MatchedLabels;

/** Puts entries at other coordinates. */
public record MovesStep(MatchedLabels.Moves moves) implements Parts.Step {
  @Override
  public Iterator<Piece> run(int part, Iterator<Piece> pieces, MemoryScope scope) {
    return new MappedPieces(pieces, moves::found);
  }
}
