package org.weft.compiler.lower.sink;

import java.util.List;
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
    implements FoldingSink {
  public WorkspaceSink {
    variables = List.copyOf(variables);
  }

  @Override
  public void put(Expr value, Scope scope, Code code) {
    workspace.put(variables.stream().map(scope::coordinate).toList(), value, code);
  }
}
