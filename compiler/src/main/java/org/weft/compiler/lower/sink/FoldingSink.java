package org.weft.compiler.lower.sink;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.lower.operand.Fold;

/** A sink that combines each value with what is in its cell, whatever the loops around it are. */
public interface FoldingSink extends Sink {
  /** How values come together in a cell. */
  Fold fold();

  @Override
  default Sink reducing(Fold inner) {
    return this;
  }

  @Override
  default boolean scatters(Fold inner, List<IndexVar> unbound, boolean small) {
    return inner.operator() == fold().operator();
  }

  @Override
  default boolean tracksPresence() {
    return true;
  }

  @Override
  default @Nullable Sink settle(Code code) {
    return null;
  }

  @Override
  default boolean independent(IndexVar inner) {
    return false;
  }
}
