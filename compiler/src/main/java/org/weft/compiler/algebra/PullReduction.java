package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * {@code a * reduce_v(b) = reduce_v(a * b)} where {@code a} does not use {@code v} and the
 * product's operator distributes over the reducer ({@link Operator#distributesOver}), and {@code
 * -reduce_v(b) = reduce_v(-b)} for sums. Brings a product with nested reductions to one reduction
 * of one product, from which {@link DistributeReduction} chooses the factoring that suits the loop
 * order.
 *
 * @param integers whether the statement computes in integers
 */
public record PullReduction(boolean integers) implements RewriteRule {
  @Override
  public TensorExpr apply(TensorExpr expr) {
    if (expr instanceof TensorExpr.Negate negate
        && negate.operand() instanceof TensorExpr.Reduce reduce
        && (reduce.operator() == Operator.PLUS || reduce.operator() == Operator.ANY)) {
      return reduce.of(new TensorExpr.Negate(reduce.body()));
    }
    if (!(expr instanceof TensorExpr.Product product)) {
      return expr;
    }
    List<TensorExpr> factors = product.factors();
    Operator operator = product.operator();
    for (int i = 0; i < factors.size(); i++) {
      if (factors.get(i) instanceof TensorExpr.Reduce reduce
          && operator.distributesOver(reduce.operator(), i, factors.size(), integers)
          && !isUsedBeside(i, factors, reduce.variable())) {
        List<TensorExpr> rest = new ArrayList<>(factors);
        rest.set(i, reduce.body());
        return reduce.of(new TensorExpr.Product(operator, rest));
      }
    }
    return expr;
  }

  /** Whether another factor is a reduction over the same variable: the same value once more. */
  private static boolean isUsedBeside(int number, List<TensorExpr> factors, IndexVar variable) {
    return IntStream.range(0, factors.size())
        .anyMatch(other -> other != number && factors.get(other).uses(variable));
  }
}
