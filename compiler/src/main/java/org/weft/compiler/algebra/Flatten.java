package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.List;

/**
 * Associativity and signs: {@code (a + b) + c = a + b + c}, {@code (a * b) * c = a * b * c} for any
 * one associative operator, {@code a * -b = -(a * b)} for {@code *} alone, {@code --a = a}, and a
 * sum or product of one operand is that operand.
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
    Operator operator = sum.operator();
    List<TensorExpr> terms = new ArrayList<>();
    for (TensorExpr term : sum.terms()) {
      if (term instanceof TensorExpr.Sum inner && inner.operator() == operator) {
        terms.addAll(inner.terms());
      } else if (operator == Operator.PLUS
          && term instanceof TensorExpr.Negate negate
          && negate.operand() instanceof TensorExpr.Sum inner
          && inner.operator() == Operator.PLUS) {
        inner.terms().forEach(t -> terms.add(new TensorExpr.Negate(t)));
      } else {
        terms.add(term);
      }
    }
    return terms.size() == 1 ? terms.get(0) : new TensorExpr.Sum(operator, terms);
  }

  private static TensorExpr product(TensorExpr.Product product) {
    Operator operator = product.operator();
    List<TensorExpr> factors = new ArrayList<>();
    boolean negative = false;
    for (TensorExpr factor : product.factors()) {
      TensorExpr unsigned = factor;
      if (operator == Operator.TIMES && factor instanceof TensorExpr.Negate negate) {
        unsigned = negate.operand();
        negative = !negative;
      }
      if (operator.isAssociative()
          && unsigned instanceof TensorExpr.Product inner
          && inner.operator() == operator) {
        factors.addAll(inner.factors());
      } else {
        factors.add(unsigned);
      }
    }
    TensorExpr flat =
        factors.size() == 1 && operator != Operator.PAIR
            ? factors.get(0)
            : new TensorExpr.Product(operator, factors);
    return negative ? new TensorExpr.Negate(flat) : flat;
  }
}
