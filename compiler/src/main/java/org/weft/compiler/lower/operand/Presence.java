package org.weft.compiler.lower.operand;

import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.lower.rewrite.DiagonalIntersections;

/**
 * Whether a resolved expression has a stored value: products need all operands, sums any, quotients
 * the dividend. Operands that a merge loop reached are present; only temporaries have presence
 * known at run time. Null stands for "always".
 */
public final class Presence {
  public static final Expr TRUE = new Expr.Binary(Expr.Op.EQ, Expr.of(0), Expr.of(0));
  public static final Expr FALSE = new Expr.Binary(Expr.Op.NE, Expr.of(0), Expr.of(0));

  private Presence() {}

  public static @Nullable Expr of(TensorExpr expr, Scope scope) {
    if (expr instanceof TensorExpr.Access access) {
      return scope.presence(access);
    } else if (expr instanceof TensorExpr.Zero) {
      return FALSE;
    } else if (expr instanceof TensorExpr.Sum
        || expr instanceof TensorExpr.Apply apply && apply.arguments().size() == 2) {
      return combine(expr, scope, Expr.Op.OR);
    } else if (expr instanceof TensorExpr.Apply apply && !apply.function().preservesZero()) {
      return null;
    } else if (expr instanceof TensorExpr.Product product
        && product.operator() == Operator.DIVIDE) {
      return of(product.factors().get(0), scope);
    }
    return combine(expr, scope, Expr.Op.AND);
  }

  /**
   * Whether the value of {@code whole} depends on whether {@code part} of it is absent, not only on
   * its value, which is 0 then: in a union that passes over absent operands, in a product that 0
   * does not absorb, and in any product if the part is an operand, as 0 times infinity is not 0.
   */
  public static boolean matters(TensorExpr whole, TensorExpr part) {
    if (whole.equals(part)) {
      return false;
    }
    boolean here =
        whole instanceof TensorExpr.Sum sum && sum.operator() != Operator.PLUS
            || whole instanceof TensorExpr.Product
                && (!TensorExpr.Product.isTimes(whole) || DiagonalIntersections.isOperand(part));
    return whole.children().stream()
        .anyMatch(child -> contains(child, part) && (here || matters(child, part)));
  }

  private static boolean contains(TensorExpr expr, TensorExpr part) {
    return expr.equals(part) || expr.children().stream().anyMatch(c -> contains(c, part));
  }

  /**
   * Whether the value that {@link Values} gives is 0 where {@code expr} is absent. Absent operands
   * have the value 0.
   */
  public static boolean isZeroWhenAbsent(TensorExpr expr) {
    boolean keeps =
        expr instanceof TensorExpr.Access
            || expr instanceof TensorExpr.Zero
            || expr instanceof TensorExpr.Sum
            || expr instanceof TensorExpr.Negate
            || TensorExpr.Product.isTimes(expr)
            || expr instanceof TensorExpr.Apply apply && apply.function().preservesZero();
    return keeps && expr.children().stream().allMatch(Presence::mayStandInProduct);
  }

  /**
   * The same where the scope knows of operands at run time that they are absent: 0 times infinity
   * is not 0.
   */
  public static boolean isZeroWhenAbsent(TensorExpr expr, Scope scope, ScalarType type) {
    return isZeroWhenAbsent(expr) && !(type.isFloat() && meetsInfinity(expr, scope));
  }

  private static boolean meetsInfinity(TensorExpr expr, Scope scope) {
    boolean product = TensorExpr.Product.isTimes(expr) && expr.accesses().size() > 1;
    return product
        ? of(expr, scope) != null
        : expr.children().stream().anyMatch(child -> meetsInfinity(child, scope));
  }

  private static boolean mayStandInProduct(TensorExpr expr) {
    return expr instanceof TensorExpr.Literal || isZeroWhenAbsent(expr);
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
