package org.weft.compiler.lower;

import java.util.List;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Buffer;

/** The levels and values of a tensor in generated code. */
record TensorLayout(TensorVar tensor, List<Level> levels, Buffer vals) {
  TensorLayout {
    levels = List.copyOf(levels);
  }

  Level level(int number) {
    return levels.get(number);
  }

  int order() {
    return levels.size();
  }
}
