package org.weft.compiler.lower;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;

/**
 * Sums values in a register.
 *
 * @param present set when a value is put; null when that does not matter, or is known
 */
record ScalarSink(LoopVariable sum, @Nullable LoopVariable present) implements Sink {
  @Override
  public List<IndexVar> variables() {
    return List.of();
  }

  @Override
  public Sink accumulating() {
    return this;
  }

  @Override
  public boolean scatters(List<IndexVar> unbound, boolean small) {
    return true;
  }

  @Override
  public boolean tracksPresence() {
    return present != null;
  }

  @Override
  public @Nullable Sink settle(Code code) {
    return null;
  }

  @Override
  public boolean independent(IndexVar variable) {
    return true;
  }

  @Override
  public void put(Expr value, Scope scope, Code code) {
    code.assign(sum, new Expr.Binary(Expr.Op.ADD, Expr.of(sum), value));
    if (present != null) {
      code.assign(present, Presence.TRUE);
    }
  }
}
