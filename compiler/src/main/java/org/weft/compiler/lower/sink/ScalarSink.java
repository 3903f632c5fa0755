package org.weft.compiler.lower.sink;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.Presence;
import org.weft.compiler.lower.operand.Scope;

/**
 * Combines values in a register.
 *
 * @param present set when a value is put; null when that does not matter, or is known, and the fold
 *     has an identity
 */
public record ScalarSink(LoopVariable sum, Fold fold, @Nullable LoopVariable present)
    implements FoldingSink {
  @Override
  public List<IndexVar> variables() {
    return List.of();
  }

  @Override
  public boolean tracksPresence() {
    return present != null;
  }

  @Override
  public boolean independent(IndexVar variable) {
    return true;
  }

  @Override
  public void put(Expr value, Scope scope, Code code) {
    Expr combined = fold.combine(Expr.of(sum), value);
    if (present == null || fold.hasIdentity()) {
      code.assign(sum, combined);
    } else {
      code.assign(sum, new Expr.Select(Expr.of(present), combined, value));
    }
    if (present != null) {
      code.assign(present, Presence.TRUE);
    }
  }
}
