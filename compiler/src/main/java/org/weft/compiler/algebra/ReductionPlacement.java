package org.weft.compiler.algebra;

import java.util.List;

/**
 * Implicit reductions (Bik et al., section 5.1): a variable that the result does not have is summed
 * over the smallest sub-expression, as written, that contains every use of it. {@code D(i) = A(i,j)
 * + B(i,j) + C(i)} is {@code sum_j(A + B) + C}.
 */
final class ReductionPlacement {
  private ReductionPlacement() {}

  static TensorExpr place(TensorExpr expr, IndexVar variable) {
    List<TensorExpr> users = expr.children().stream().filter(c -> c.uses(variable)).toList();
    if (users.size() != 1) {
      return new TensorExpr.Reduce(variable, expr);
    }
    boolean[] placed = new boolean[1];
    return expr.mapChildren(
        child -> {
          if (placed[0] || !child.uses(variable)) {
            return child;
          }
          placed[0] = true;
          return place(child, variable);
        });
  }
}
