package org.weft.engine.distributed;

import java.util.Iterator;
import java.util.stream.IntStream;
import org.weft.memory.MemoryScope;
import org.weft.tensor.CooBlock;

/**
 * Keeps the entries of a matrix on some of its diagonals.
 *
 * @param least row minus column of the first of them
 * @param most row minus column of the last one
 */
public record DiagonalsStep(long least, long most) implements Parts.Step {
  @Override
  public Iterator<Piece> run(int part, Iterator<Piece> pieces, MemoryScope scope) {
    return new MappedPieces(pieces, this::kept);
  }

  private CooBlock kept(CooBlock block) {
    return block.select(
        IntStream.range(0, block.size())
            .filter(
                e -> {
                  long diagonal = block.coordinate(0, e) - block.coordinate(1, e);
                  return diagonal >= least && diagonal <= most;
                })
            .toArray());
  }
}
