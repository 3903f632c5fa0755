package org.weft.compiler.algebra;

import java.util.List;
import org.weft.compiler.lang.SemiringOperator;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;

/**
 * The algebra of {@code @(add,multiply)} and {@code @(operator)}.
 *
 * <p>{@code or} and {@code and} are {@code max} and {@code min} of truth values, which are 1 for
 * every number but 0. An elementwise monoid is a union whose absent operand is passed over; {@code
 * *} is an intersection. Into a sparse result, a sparse and a full operand meet where the sparse
 * one is stored, whatever the operator: COMET's rule, without which the result would be full.
 */
public final class SemiringAlgebra {
  private SemiringAlgebra() {}

  /** {@code left multiply right}, where both are present. */
  static TensorExpr multiply(SemiringOperator multiply, TensorExpr left, TensorExpr right) {
    return switch (multiply) {
      case AND -> product(Operator.MIN, truth(left), truth(right));
      case OR -> product(Operator.MAX, truth(left), truth(right));
      default -> product(plain(multiply), left, right);
    };
  }

  /** The reduction of {@code body} over {@code variable} with {@code add}. */
  static TensorExpr reduce(SemiringOperator add, IndexVar variable, TensorExpr body) {
    return add == SemiringOperator.OR
        ? new TensorExpr.Reduce(Operator.MAX, variable, truth(body))
        : new TensorExpr.Reduce(plain(add), variable, body);
  }

  /** {@code left @(operator) right}. */
  static TensorExpr elementwise(
      SemiringOperator operator, TensorExpr left, TensorExpr right, boolean sparseResult) {
    boolean meet = sparseResult && isFull(left) != isFull(right);
    if (meet || operator == SemiringOperator.TIMES) {
      return product(plain(operator), left, right);
    } else if (operator == SemiringOperator.MINUS) {
      return new TensorExpr.Sum(List.of(left, new TensorExpr.Negate(right)));
    }
    return new TensorExpr.Sum(plain(operator), List.of(left, right));
  }

  private static TensorExpr product(Operator operator, TensorExpr left, TensorExpr right) {
    return new TensorExpr.Product(operator, List.of(left, right));
  }

  private static Operator plain(SemiringOperator operator) {
    return switch (operator) {
      case PLUS -> Operator.PLUS;
      case MINUS -> Operator.MINUS;
      case TIMES -> Operator.TIMES;
      case MIN -> Operator.MIN;
      case MAX -> Operator.MAX;
      case ANY -> Operator.ANY;
      case FIRST -> Operator.FIRST;
      case SECOND -> Operator.SECOND;
      case PAIR -> Operator.PAIR;
      case AND, OR -> throw new IllegalArgumentException(operator + " acts on truth values");
    };
  }

  private static TensorExpr truth(TensorExpr expr) {
    return isTruth(expr) ? expr : new TensorExpr.Apply(TensorExpr.Function.TRUTH, List.of(expr));
  }

  /** Whether every value is 0 or 1, so that taking its truth would change nothing. */
  private static boolean isTruth(TensorExpr expr) {
    if (expr instanceof TensorExpr.Product product) {
      return product.operator() == Operator.PAIR
          || product.operator().isIdempotent() && areTruths(product);
    } else if (expr instanceof TensorExpr.Reduce reduce) {
      return reduce.operator().isIdempotent() && areTruths(reduce);
    }
    return expr instanceof TensorExpr.Apply apply && apply.function() == TensorExpr.Function.TRUTH;
  }

  private static boolean areTruths(TensorExpr expr) {
    return expr.children().stream().allMatch(SemiringAlgebra::isTruth);
  }

  /** Whether {@code expr} is present at every coordinate, whatever its operands store. */
  public static boolean isFull(TensorExpr expr) {
    if (expr instanceof TensorExpr.Access access) {
      return isFull(access.tensor().format());
    } else if (expr instanceof TensorExpr.Sum
        || expr instanceof TensorExpr.Apply apply && apply.arguments().size() == 2) {
      return expr.children().stream().anyMatch(SemiringAlgebra::isFull);
    } else if (expr instanceof TensorExpr.Apply apply && !apply.function().preservesZero()) {
      return true;
    }
    return !(expr instanceof TensorExpr.Zero)
        && expr.children().stream().allMatch(SemiringAlgebra::isFull);
  }

  /** Whether a tensor of {@code format} stores every cell. */
  static boolean isFull(TensorFormat format) {
    return format.levels().stream().map(LevelSpec::properties).allMatch(p -> p.full());
  }
}
