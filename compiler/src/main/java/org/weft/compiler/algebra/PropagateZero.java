package org.weft.compiler.algebra;

import java.util.List;

/**
 * Structural zeros, which are absent values and not the number 0: a sum with any operator has its
 * other terms, a product with any operator is absent (also {@code 0 * inf}), {@code -0 = 0}, a
 * reduction of nothing is absent, and {@code f(0) = 0} for functions that preserve zero. Other
 * functions of zero become their value.
 */
public final class PropagateZero implements RewriteRule {
  private static final TensorExpr ZERO = new TensorExpr.Zero();

  @Override
  public TensorExpr apply(TensorExpr expr) {
    List<TensorExpr> children = expr.children();
    if (children.stream().noneMatch(ZERO::equals)) {
      return expr;
    }
    if (expr instanceof TensorExpr.Sum sum) {
      List<TensorExpr> rest = children.stream().filter(child -> !child.equals(ZERO)).toList();
      return switch (rest.size()) {
        case 0 -> ZERO;
        case 1 -> rest.get(0);
        default -> new TensorExpr.Sum(sum.operator(), rest);
      };
    } else if (expr instanceof TensorExpr.Apply apply) {
      return apply(apply);
    }
    return ZERO;
  }

  private static TensorExpr apply(TensorExpr.Apply apply) {
    if (!apply.arguments().stream().allMatch(ZERO::equals)) {
      return apply;
    }
    return switch (apply.function()) {
      case EXP -> new TensorExpr.Literal(1.0);
      case LOG -> new TensorExpr.Literal(Double.NEGATIVE_INFINITY);
      default -> ZERO;
    };
  }
}
