package org.weft.compiler.algebra;

/** One rewrite law of tensor algebra. */
public interface RewriteRule {

  /**
   * Rewrites {@code expr} itself, whose sub-expressions have been rewritten already; returns an
   * equal expression when the law does not apply. Each application makes progress, so that
   * repeating rules ends.
   */
  TensorExpr apply(TensorExpr expr);

  /** Applies {@code rules} bottom-up until none changes anything. */
  static TensorExpr rewrite(TensorExpr expr, RewriteRule... rules) {
    TensorExpr current = expr;
    while (true) {
      TensorExpr next = pass(current, rules);
      if (next.equals(current)) {
        return current;
      }
      current = next;
    }
  }

  private static TensorExpr pass(TensorExpr expr, RewriteRule... rules) {
    TensorExpr current = expr.mapChildren(child -> pass(child, rules));
    for (RewriteRule rule : rules) {
      current = rule.apply(current);
    }
    return current;
  }
}
