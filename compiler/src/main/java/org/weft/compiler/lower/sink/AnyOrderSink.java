package org.weft.compiler.lower.sink;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.Scope;

/**
 * Takes entries in any order, a value at each that is put: they are sorted, and those of one cell
 * combined if there are such, once all have come. So every loop may scatter into it.
 */
interface AnyOrderSink extends Sink {
  @Override
  default Sink reducing(Fold fold) {
    return this;
  }

  @Override
  default boolean scatters(Fold fold, List<IndexVar> unbound, boolean small) {
    return true;
  }

  @Override
  default boolean tracksPresence() {
    return true;
  }

  @Override
  default @Nullable Sink settle(Code code) {
    return new Settled(this);
  }

  @Override
  default boolean independent(IndexVar variable) {
    return false;
  }

  /** The same entries, each of which is known to be present. */
  record Settled(AnyOrderSink sink) implements AnyOrderSink {
    @Override
    public List<IndexVar> variables() {
      return sink.variables();
    }

    @Override
    public boolean tracksPresence() {
      return false;
    }

    @Override
    public void put(Expr value, Scope scope, Code code) {
      sink.put(value, scope, code);
    }
  }
}
