package org.weft.compiler.lower.operand;

import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;

/** The coordinates and the position above the level that an access has come to in a scope. */
public record Ancestors(TensorExpr.Access access, Scope scope) implements LevelEmitter.Path {
  @Override
  public Expr coordinate(int level) {
    return scope.coordinate(access.variableAt(level));
  }

  @Override
  public Expr parent() {
    return scope.cursor(access).begin();
  }
}
