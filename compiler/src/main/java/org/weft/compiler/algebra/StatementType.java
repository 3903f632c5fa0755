package org.weft.compiler.algebra;

import java.util.Locale;
import org.weft.compiler.lang.Syntax;
import org.weft.tensor.ValueType;

/**
 * The type that a statement computes in: the widest of its tensors, the result among them, by
 * Java's numeric promotion ({@code int < long < float < double}). A whole number is an {@code int},
 * or a {@code long} when it needs one; integers meet fractions and functions with fractional values
 * as {@code double}.
 */
public final class StatementType {
  private StatementType() {}

  public static ValueType of(TensorExpr.Access target, TensorExpr value) {
    ValueType widest = target.tensor().format().valueType();
    for (TensorExpr.Access access : value.accesses()) {
      ValueType type = access.tensor().format().valueType();
      widest = rank(type) > rank(widest) ? type : widest;
    }
    if (isInteger(widest) && isFractional(value)) {
      return ValueType.DOUBLE;
    }
    return widest == ValueType.INT && hasLong(value) ? ValueType.LONG : widest;
  }

  public static boolean isInteger(ValueType type) {
    return type == ValueType.INT || type == ValueType.LONG;
  }

  private static int rank(ValueType type) {
    return switch (type) {
      case INT -> 0;
      case LONG -> 1;
      case FLOAT -> 2;
      case DOUBLE -> 3;
    };
  }

  private static boolean isFractional(TensorExpr expr) {
    if (expr instanceof TensorExpr.Literal literal) {
      return literal.value() instanceof Double;
    } else if (expr instanceof TensorExpr.Apply apply && apply.function().isFractional()) {
      return true;
    }
    return expr.children().stream().anyMatch(StatementType::isFractional);
  }

  /** Whether {@code text} has a fraction, or a function of fractional values. */
  public static boolean isFractional(Syntax text) {
    if (text instanceof Syntax.Number number) {
      return number.value() instanceof Double;
    } else if (text instanceof Syntax.Call call
        && TensorExpr.Function.valueOf(call.function().toUpperCase(Locale.ROOT)).isFractional()) {
      return true;
    }
    return text.children().stream().anyMatch(StatementType::isFractional);
  }

  private static boolean hasLong(TensorExpr expr) {
    return expr instanceof TensorExpr.Literal literal
            && literal.value().longValue() != literal.value().intValue()
        || expr.children().stream().anyMatch(StatementType::hasLong);
  }
}
