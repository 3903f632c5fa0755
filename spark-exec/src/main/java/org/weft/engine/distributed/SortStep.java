package org.weft.engine.distributed;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.weft.memory.MemoryScope;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorShape;

/** Sorts the entries of every part, which are distinct. */
record SortStep(TensorShape shape, int[] modeOrder) implements Parts.Step {
  @Override
  public Iterator<Piece> run(int part, Iterator<Piece> pieces, MemoryScope scope) {
    List<CooBlock> blocks = new ArrayList<>();
    pieces.forEachRemaining(piece -> blocks.add(piece.entries()));
    return blocks.isEmpty()
        ? List.<Piece>of().iterator()
        : List.of(new Piece(part, 0, part, Packing.sorted(shape, modeOrder, blocks))).iterator();
  }
}
