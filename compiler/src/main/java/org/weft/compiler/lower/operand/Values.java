package org.weft.compiler.lower.operand;

import java.util.List;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.ScalarType;

/** Scalar code: the value of an expression all of whose accesses are resolved. */
public final class Values {
  private final KernelTensors tensors;
  private final ScalarType type;

  public Values(KernelTensors tensors, ScalarType type) {
    this.tensors = tensors;
    this.type = type;
  }

  /** The type that a statement computes in. */
  public static ScalarType typeOf(TensorAssignment assignment) {
    return ScalarType.of(assignment.type());
  }

  public ScalarType type() {
    return type;
  }

  public Expr zero() {
    return literal(0);
  }

  public Expr of(TensorExpr expr, Scope scope) {
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
      return product(product.operator(), product.factors(), scope);
    } else if (expr instanceof TensorExpr.Sum sum) {
      return sum.operator() == Operator.PLUS
          ? sum(sum.terms(), scope)
          : union(new Fold(sum.operator(), false), sum.terms(), scope);
    } else if (expr instanceof TensorExpr.Apply apply) {
      return apply(apply, scope);
    }
    throw new IllegalStateException("a reduction was not lowered: " + expr);
  }

  /** The stored value at the access's position, in the statement's type. */
  public Expr load(TensorExpr.Access access, Scope scope) {
    return convert(
        new Expr.Load(tensors.layout(access.tensor()).vals(), scope.cursor(access).begin()), type);
  }

  private Expr product(Operator operator, List<TensorExpr> factors, Scope scope) {
    return switch (operator) {
      case TIMES -> fold(Expr.Op.MUL, factors, scope);
      case PLUS -> fold(Expr.Op.ADD, factors, scope);
      case MINUS -> fold(Expr.Op.SUB, factors, scope);
      case MIN -> fold(Expr.Op.MIN, factors, scope);
      case MAX -> fold(Expr.Op.MAX, factors, scope);
      case DIVIDE -> quotient(of(factors.get(0), scope), of(factors.get(1), scope));
      case FIRST, ANY -> of(factors.get(0), scope);
      case SECOND -> of(factors.get(factors.size() - 1), scope);
      case PAIR -> literal(1);
    };
  }

  /** Integers: division by 0 gives 0, and the least number divided by -1 wraps. */
  private Expr quotient(Expr dividend, Expr divisor) {
    if (type.isFloat()) {
      return new Expr.Binary(Expr.Op.DIV, dividend, divisor);
    }
    Expr isZero = Expr.equal(divisor, zero());
    Expr isMinusOne = Expr.equal(divisor, literal(-1));
    Expr traps = new Expr.Binary(Expr.Op.OR, isZero, isMinusOne);
    Expr safe = new Expr.Select(traps, literal(1), divisor);
    Expr quotient = new Expr.Binary(Expr.Op.DIV, dividend, safe);
    Expr negated = new Expr.Select(isMinusOne, new Expr.Negate(dividend), quotient);
    return new Expr.Select(isZero, zero(), negated);
  }

  private Expr fold(Expr.Op op, List<TensorExpr> operands, Scope scope) {
    Expr value = of(operands.get(0), scope);
    for (TensorExpr operand : operands.subList(1, operands.size())) {
      value = new Expr.Binary(op, value, of(operand, scope));
    }
    return value;
  }

  private Expr sum(List<TensorExpr> terms, Scope scope) {
    Expr value = orZero(terms.get(0), scope);
    for (TensorExpr term : terms.subList(1, terms.size())) {
      value =
          term instanceof TensorExpr.Negate negate
              ? new Expr.Binary(Expr.Op.SUB, value, orZero(negate.operand(), scope))
              : new Expr.Binary(Expr.Op.ADD, value, orZero(term, scope));
    }
    return value;
  }

  /** The value of {@code term}, 0 where it turns out to be absent. */
  private Expr orZero(TensorExpr term, Scope scope) {
    Expr present = Presence.isZeroWhenAbsent(term, scope, type) ? null : Presence.of(term, scope);
    Expr value = of(term, scope);
    return present == null ? value : new Expr.Select(present, value, zero());
  }

  /** The terms that are present, combined; some value where none is. */
  private Expr union(Fold fold, List<TensorExpr> terms, Scope scope) {
    Expr value = of(terms.get(0), scope);
    Expr present = Presence.of(terms.get(0), scope);
    for (TensorExpr term : terms.subList(1, terms.size())) {
      Expr next = of(term, scope);
      Expr here = Presence.of(term, scope);
      Expr both = fold.combine(value, next);
      Expr left = here == null ? both : new Expr.Select(here, both, value);
      value = present == null ? left : new Expr.Select(present, left, next);
      present = present == null || here == null ? null : new Expr.Binary(Expr.Op.OR, present, here);
    }
    return value;
  }

  private Expr apply(TensorExpr.Apply apply, Scope scope) {
    List<Expr> arguments = apply.arguments().stream().map(a -> orZero(a, scope)).toList();
    return switch (apply.function()) {
      case MIN -> new Expr.Binary(Expr.Op.MIN, arguments.get(0), arguments.get(1));
      case MAX -> new Expr.Binary(Expr.Op.MAX, arguments.get(0), arguments.get(1));
      case NONZERO -> arguments.get(0);
      case ABS -> new Expr.MathCall(Expr.Function.ABS, arguments);
      case SQRT -> new Expr.MathCall(Expr.Function.SQRT, arguments);
      case EXP -> new Expr.MathCall(Expr.Function.EXP, arguments);
      case LOG -> new Expr.MathCall(Expr.Function.LOG, arguments);
      case TRUTH ->
          new Expr.Select(
              new Expr.Binary(Expr.Op.NE, arguments.get(0), zero()), literal(1), zero());
    };
  }

  public Expr literal(Number value) {
    return type.isFloat()
        ? new Expr.FloatLiteral(value.doubleValue(), type)
        : convert(Expr.of(value.longValue()), type);
  }

  public static Expr convert(Expr value, ScalarType type) {
    return value.type() == type ? value : new Expr.Convert(value, type);
  }
}
