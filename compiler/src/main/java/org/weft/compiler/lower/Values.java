package org.weft.compiler.lower;

import java.util.List;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.ScalarType;
import org.weft.tensor.ValueType;

/** Scalar code: the value of an expression all of whose accesses are resolved. */
final class Values {
  private final Tensors tensors;
  private final ScalarType type;

  Values(Tensors tensors, ScalarType type) {
    this.tensors = tensors;
    this.type = type;
  }

  /**
   * The type that a statement computes in: the widest of its tensors, by Java's promotions, and
   * double where integers meet fractions or functions that have fractional values.
   */
  static ScalarType typeOf(TensorAssignment assignment) {
    ValueType widest = assignment.target().tensor().format().valueType();
    for (TensorExpr.Access access : assignment.value().accesses()) {
      ValueType type = access.tensor().format().valueType();
      widest = rank(type) > rank(widest) ? type : widest;
    }
    boolean integer = widest == ValueType.INT || widest == ValueType.LONG;
    return integer && isFractional(assignment.value()) ? ScalarType.F64 : ScalarType.of(widest);
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
      return literal.value() != Math.rint(literal.value()) || Math.abs(literal.value()) > 1e9;
    } else if (expr instanceof TensorExpr.Apply apply) {
      switch (apply.function()) {
        case SQRT, EXP, LOG:
          return true;
        default:
          break;
      }
    }
    return expr.children().stream().anyMatch(Values::isFractional);
  }

  ScalarType type() {
    return type;
  }

  Expr zero() {
    return literal(0);
  }

  Expr of(TensorExpr expr, Scope scope) {
    if (expr instanceof TensorExpr.Access access) {
      Expr held = scope.value(access);
      return held == null ? load(access, scope) : held;
    } else if (expr instanceof TensorExpr.Literal literal) {
      return literal(literal.value());
    } else if (expr instanceof TensorExpr.Zero) {
      return zero();
    } else if (expr instanceof TensorExpr.Negate negate) {
      return new Expr.Negate(of(negate.operand(), scope));
    } else if (expr instanceof TensorExpr.Product product) {
      return fold(Expr.Op.MUL, product.factors(), scope);
    } else if (expr instanceof TensorExpr.Sum sum) {
      return sum(sum.terms(), scope);
    } else if (expr instanceof TensorExpr.Apply apply) {
      return apply(apply, scope);
    }
    throw new IllegalStateException("a reduction was not lowered: " + expr);
  }

  /** The stored value at the access's position, in the statement's type. */
  Expr load(TensorExpr.Access access, Scope scope) {
    return convert(
        new Expr.Load(tensors.layout(access.tensor()).vals(), scope.cursor(access).begin()), type);
  }

  private Expr fold(Expr.Op op, List<TensorExpr> operands, Scope scope) {
    Expr value = of(operands.get(0), scope);
    for (TensorExpr operand : operands.subList(1, operands.size())) {
      value = new Expr.Binary(op, value, of(operand, scope));
    }
    return value;
  }

  private Expr sum(List<TensorExpr> terms, Scope scope) {
    Expr value = of(terms.get(0), scope);
    for (TensorExpr term : terms.subList(1, terms.size())) {
      value =
          term instanceof TensorExpr.Negate negate
              ? new Expr.Binary(Expr.Op.SUB, value, of(negate.operand(), scope))
              : new Expr.Binary(Expr.Op.ADD, value, of(term, scope));
    }
    return value;
  }

  private Expr apply(TensorExpr.Apply apply, Scope scope) {
    List<Expr> arguments = apply.arguments().stream().map(a -> of(a, scope)).toList();
    return switch (apply.function()) {
      case MIN -> new Expr.Binary(Expr.Op.MIN, arguments.get(0), arguments.get(1));
      case MAX -> new Expr.Binary(Expr.Op.MAX, arguments.get(0), arguments.get(1));
      case NONZERO -> arguments.get(0);
      case ABS -> new Expr.MathCall(Expr.Function.ABS, arguments);
      case SQRT -> new Expr.MathCall(Expr.Function.SQRT, arguments);
      case EXP -> new Expr.MathCall(Expr.Function.EXP, arguments);
      case LOG -> new Expr.MathCall(Expr.Function.LOG, arguments);
    };
  }

  Expr literal(double value) {
    return type.isFloat()
        ? new Expr.FloatLiteral(value, type)
        : convert(Expr.of((long) value), type);
  }

  static Expr convert(Expr value, ScalarType type) {
    return value.type() == type ? value : new Expr.Convert(value, type);
  }
}
