package org.weft.compiler.lower.sink;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.Scope;

/**
 * Scatters values over {@code variables}, in any order, into a workspace.
 *
 * @param fold how values come together in a cell
 */
public record WorkspaceSink(List<IndexVar> variables, Fold fold, Workspace workspace)
    implements Sink {
  public WorkspaceSink {
    variables = List.copyOf(variables);
  }

  @Override
  public Sink reducing(Fold inner) {
    return this;
  }

  @Override
  public boolean scatters(Fold inner, List<IndexVar> unbound, boolean small) {
    return inner.operator() == fold.operator();
  }

  @Override
  public boolean tracksPresence() {
    return true;
  }

  @Override
  public @Nullable Sink settle(Code code) {
    return null;
  }

  @Override
  public boolean independent(IndexVar inner) {
    return false;
  }

  @Override
  public void put(Expr value, Scope scope, Code code) {
    workspace.put(variables.stream().map(scope::coordinate).toList(), value, code);
  }
}
