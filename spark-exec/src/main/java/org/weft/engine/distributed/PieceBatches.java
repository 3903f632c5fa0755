package org.weft.engine.distributed;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.weft.tensor.CooBlock;

/**
 * Pieces made of batches of entries: small blocks are joined before they are cut, so that the cuts
 * are not tiny. Memory: one batch and what is made of it.
 */
final class PieceBatches implements Iterator<Piece> {
  private static final int BATCH_ENTRIES = 1 << 19;

  private final Iterator<Piece> pieces;
  private final Cut cut;
  private final Queue<Piece> ready = new ArrayDeque<>();

  /** Makes pieces of a batch. */
  @FunctionalInterface
  interface Cut {
    List<Piece> of(CooBlock batch, long origin);
  }

  PieceBatches(Iterator<Piece> pieces, Cut cut) {
    this.pieces = pieces;
    this.cut = cut;
  }

  @Override
  public boolean hasNext() {
    while (ready.isEmpty() && pieces.hasNext()) {
      List<CooBlock> batch = new ArrayList<>();
      int entries = 0;
      long origin = 0;
      while (pieces.hasNext() && entries < BATCH_ENTRIES) {
        Piece piece = pieces.next();
        if (piece.entries().size() > 0) {
          origin = batch.isEmpty() ? piece.origin() : origin;
          batch.add(piece.entries());
          entries += piece.entries().size();
        }
      }
      if (entries > 0) {
        ready.addAll(cut.of(CooBlock.concat(batch), origin));
      }
    }
    return !ready.isEmpty();
  }

  @Override
  public Piece next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return ready.remove();
  }
}
