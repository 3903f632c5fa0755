package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code a * sum_v(b) = sum_v(a * b)} where {@code a} does not use {@code v}, and {@code -sum_v(b)
 * = sum_v(-b)}. Brings a product with nested reductions to one reduction of one product, from which
 * {@link DistributeReduction} chooses the factoring that suits the loop order.
 */
public final class PullReduction implements RewriteRule {
  @Override
  public TensorExpr apply(TensorExpr expr) {
    if (expr instanceof TensorExpr.Negate negate
        && negate.operand() instanceof TensorExpr.Reduce reduce) {
      return new TensorExpr.Reduce(reduce.variable(), new TensorExpr.Negate(reduce.body()));
    }
    if (!(expr instanceof TensorExpr.Product product)) {
      return expr;
    }
    List<TensorExpr> factors = product.factors();
    for (int i = 0; i < factors.size(); i++) {
      if (factors.get(i) instanceof TensorExpr.Reduce reduce) {
        List<TensorExpr> rest = new ArrayList<>(factors);
        rest.set(i, reduce.body());
        return new TensorExpr.Reduce(reduce.variable(), new TensorExpr.Product(rest));
      }
    }
    return expr;
  }
}
