package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.List;

/**
 * Associativity and signs: {@code (a + b) + c = a + b + c}, {@code (a * b) * c = a * b * c}, {@code
 * a * -b = -(a * b)}, {@code --a = a}, and a sum or product of one operand is that operand.
 */
public final class Flatten implements RewriteRule {
  @Override
  public TensorExpr apply(TensorExpr expr) {
    if (expr instanceof TensorExpr.Sum sum) {
      return sum(sum);
    } else if (expr instanceof TensorExpr.Product product) {
      return product(product);
    } else if (expr instanceof TensorExpr.Negate outer
        && outer.operand() instanceof TensorExpr.Negate inner) {
      return inner.operand();
    }
    return expr;
  }

  private static TensorExpr sum(TensorExpr.Sum sum) {
    List<TensorExpr> terms = new ArrayList<>();
    for (TensorExpr term : sum.terms()) {
      if (term instanceof TensorExpr.Sum inner) {
        terms.addAll(inner.terms());
      } else if (term instanceof TensorExpr.Negate negate
          && negate.operand() instanceof TensorExpr.Sum inner) {
        inner.terms().forEach(t -> terms.add(new TensorExpr.Negate(t)));
      } else {
        terms.add(term);
      }
    }
    return terms.size() == 1 ? terms.get(0) : new TensorExpr.Sum(terms);
  }

  private static TensorExpr product(TensorExpr.Product product) {
    List<TensorExpr> factors = new ArrayList<>();
    boolean negative = false;
    for (TensorExpr factor : product.factors()) {
      TensorExpr unsigned = factor;
      if (factor instanceof TensorExpr.Negate negate) {
        unsigned = negate.operand();
        negative = !negative;
      }
      if (unsigned instanceof TensorExpr.Product inner) {
        factors.addAll(inner.factors());
      } else {
        factors.add(unsigned);
      }
    }
    TensorExpr flat = factors.size() == 1 ? factors.get(0) : new TensorExpr.Product(factors);
    return negative ? new TensorExpr.Negate(flat) : flat;
  }
}
