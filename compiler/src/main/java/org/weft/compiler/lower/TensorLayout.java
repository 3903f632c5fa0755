package org.weft.compiler.lower;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Buffer;

/**
 * The levels and values of a tensor in generated code.
 *
 * @param states of a temporary that {@link MaskedTemporaries} filled: which positions have values
 */
record TensorLayout(TensorVar tensor, List<Level> levels, Buffer vals, @Nullable Buffer states) {
  TensorLayout {
    levels = List.copyOf(levels);
  }

  /** A tensor whose levels say what is present. */
  TensorLayout(TensorVar tensor, List<Level> levels, Buffer vals) {
    this(tensor, levels, vals, null);
  }

  /** The same tensor in other arrays. */
  TensorLayout withArrays(List<Level> changed, Buffer values) {
    return new TensorLayout(tensor, changed, values, states);
  }

  Level level(int number) {
    return levels.get(number);
  }

  int order() {
    return levels.size();
  }
}
