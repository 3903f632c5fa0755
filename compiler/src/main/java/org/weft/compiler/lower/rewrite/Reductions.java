package org.weft.compiler.lower.rewrite;

import java.util.Collection;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;

/** Finding and removing reductions in an expression. */
public final class Reductions {
  private Reductions() {}

  /**
   * The outermost reduction of the directly nested reductions with one operator that include the
   * one over {@code variable}: for {@code k}, all of {@code sum_j(sum_k(b))} in {@code a *
   * sum_j(sum_k(b))}.
   */
  public static TensorExpr.Reduce outermostOver(TensorExpr expr, IndexVar variable) {
    if (expr instanceof TensorExpr.Reduce reduce && chainHas(reduce, variable)) {
      return reduce;
    }
    for (TensorExpr child : expr.children()) {
      if (child.reducedVariables().contains(variable)) {
        return outermostOver(child, variable);
      }
    }
    throw new IllegalStateException("no reduction over " + variable + " in " + expr);
  }

  private static boolean chainHas(TensorExpr.Reduce reduce, IndexVar variable) {
    return reduce.variable().equals(variable)
        || reduce.body() instanceof TensorExpr.Reduce inner
            && inner.operator() == reduce.operator()
            && chainHas(inner, variable);
  }

  /** {@code expr} without its reductions over {@code variables}, whose loops are open. */
  public static TensorExpr without(TensorExpr expr, Collection<IndexVar> variables) {
    if (expr instanceof TensorExpr.Reduce reduce && variables.contains(reduce.variable())) {
      return without(reduce.body(), variables);
    }
    return expr.mapChildren(child -> without(child, variables));
  }

  /** {@code expr} with {@code part}, which occurs once, replaced. */
  public static TensorExpr replace(TensorExpr expr, TensorExpr part, TensorExpr replacement) {
    return expr.equals(part)
        ? replacement
        : expr.mapChildren(child -> replace(child, part, replacement));
  }
}
