package org.weft.engine.distributed;

import java.util.Iterator;
import java.util.function.UnaryOperator;
import org.weft.tensor.CooBlock;

/** Pieces with other entries. */
record MappedPieces(Iterator<Piece> pieces, UnaryOperator<CooBlock> change)
    implements Iterator<Piece> {
  @Override
  public boolean hasNext() {
    return pieces.hasNext();
  }

  @Override
  public Piece next() {
    Piece piece = pieces.next();
    return new Piece(piece.part(), piece.slot(), piece.origin(), change.apply(piece.entries()));
  }
}
