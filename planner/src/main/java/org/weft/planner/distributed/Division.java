package org.weft.planner.distributed;

import java.util.Optional;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;

/**
 * What the algebra of a statement allows: which labels it may be divided along, and which operands
 * matter only where another one has entries.
 */
final class Division {
  private Division() {}

  /**
   * The reducer that makes one result of those of the ranges of {@code label}, if there is one:
   * every term of the value must be reduced over the label with that reducer, outermost but for
   * factors without the label that distribute over it.
   */
  static Optional<Operator> reducer(TensorAssignment statement, IndexVar label) {
    for (Operator operator : Operator.values()) {
      if (operator.isReducer()
          && operator != Operator.ANY
          && reduces(statement, statement.value(), label, operator)) {
        return Optional.of(operator);
      }
    }
    return Optional.empty();
  }

  private static boolean reduces(
      TensorAssignment statement, TensorExpr expr, IndexVar label, Operator operator) {
    if (expr instanceof TensorExpr.Reduce reduce) {
      return reduce.operator() == operator
          && (reduce.variable().equals(label)
              || reduces(statement, reduce.body(), label, operator));
    } else if (expr instanceof TensorExpr.Sum sum) {
      return sum.operator() == operator
          && sum.terms().stream().allMatch(term -> reduces(statement, term, label, operator));
    } else if (expr instanceof TensorExpr.Negate negate) {
      return operator == Operator.PLUS && reduces(statement, negate.operand(), label, operator);
    } else if (expr instanceof TensorExpr.Product product) {
      int factors = product.factors().size();
      int with = -1;
      for (int number = 0; number < factors; number++) {
        if (product.factors().get(number).uses(label)) {
          if (with >= 0) {
            return false;
          }
          with = number;
        }
      }
      return with >= 0
          && product.operator().distributesOver(operator, with, factors, statement.isInteger())
          && reduces(statement, product.factors().get(with), label, operator);
    }
    return false;
  }

  /**
   * Whether the slot {@code name} matters only at coordinates at which {@code via} has entries: in
   * every place it is multiplied with something that is absent where {@code via} is.
   */
  static boolean isNeededOnlyWith(TensorExpr expr, String name, String via) {
    if (expr instanceof TensorExpr.Access access) {
      return !access.tensor().name().equals(name);
    }
    if (expr instanceof TensorExpr.Product product
        && product.factors().stream().anyMatch(factor -> isAbsentWithout(factor, via))) {
      return true;
    }
    return expr.children().stream().allMatch(child -> isNeededOnlyWith(child, name, via));
  }

  private static boolean isAbsentWithout(TensorExpr expr, String via) {
    if (expr instanceof TensorExpr.Access access) {
      return access.tensor().name().equals(via);
    } else if (expr instanceof TensorExpr.Product product) {
      return product.factors().stream().anyMatch(factor -> isAbsentWithout(factor, via));
    } else if (expr instanceof TensorExpr.Sum sum) {
      return sum.terms().stream().allMatch(term -> isAbsentWithout(term, via));
    } else if (expr instanceof TensorExpr.Negate || expr instanceof TensorExpr.Reduce) {
      return isAbsentWithout(expr.children().get(0), via);
    }
    return false;
  }
}
