package org.weft.engine.distributed;

import java.util.Iterator;
import org.weft.memory.MemoryScope;

/**
 * Appends the number of the part to the coordinates of entries.
 *
 * @param number of all parts; negative to take the part's own
 */
record NumberStep(int number) implements Parts.Step {
  @Override
  public Iterator<Piece> run(int part, Iterator<Piece> pieces, MemoryScope scope) {
    int coordinate = number < 0 ? part : number;
    return new MappedPieces(pieces, entries -> Columns.appended(entries, coordinate));
  }
}
