package org.weft.engine.distributed;

import java.util.Iterator;
import org.weft.memory.MemoryScope;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/**
 * Converts values as Java's cast does.
 *
 * @param type that the values have then
 */
public record CastStep(ValueType type) implements Parts.Step {
  @Override
  public Iterator<Piece> run(int part, Iterator<Piece> pieces, MemoryScope scope) {
    return new MappedPieces(pieces, this::cast);
  }

  private CooBlock cast(CooBlock block) {
    if (type == ValueType.LONG) {
      return block.withLongValues();
    }
    double[] values = new double[block.size()];
    for (int e = 0; e < values.length; e++) {
      values[e] =
          switch (type) {
            case INT -> block.hasLongValues() ? (int) block.longValue(e) : (int) block.value(e);
            case FLOAT -> (float) block.value(e);
            default -> block.value(e);
          };
    }
    return block.withValues(values);
  }
}
