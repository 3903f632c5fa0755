package org.weft.compiler.lower;

import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.loop.Expr;

/**
 * Whether a resolved expression has a stored value: products need all operands, sums any. Operands
 * that a merge loop reached are present; only temporaries have presence known at run time. Null
 * stands for "always".
 */
final class Presence {
  static final Expr TRUE = new Expr.Binary(Expr.Op.EQ, Expr.of(0), Expr.of(0));
  static final Expr FALSE = new Expr.Binary(Expr.Op.NE, Expr.of(0), Expr.of(0));

  private Presence() {}

  static @Nullable Expr of(TensorExpr expr, Scope scope) {
    if (expr instanceof TensorExpr.Access access) {
      return scope.presence(access);
    } else if (expr instanceof TensorExpr.Zero) {
      return FALSE;
    } else if (expr instanceof TensorExpr.Sum
        || expr instanceof TensorExpr.Apply apply && apply.arguments().size() == 2) {
      return combine(expr, scope, Expr.Op.OR);
    } else if (expr instanceof TensorExpr.Apply apply && !apply.function().preservesZero()) {
      return null;
    }
    return combine(expr, scope, Expr.Op.AND);
  }

  private static @Nullable Expr combine(TensorExpr expr, Scope scope, Expr.Op op) {
    Expr all = null;
    for (TensorExpr child : expr.children()) {
      Expr present = of(child, scope);
      if (present == null && op == Expr.Op.OR) {
        return null;
      } else if (present != null) {
        all = all == null ? present : new Expr.Binary(op, all, present);
      }
    }
    return all;
  }
}
