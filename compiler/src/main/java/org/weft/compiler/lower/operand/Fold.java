package org.weft.compiler.lower.operand;

import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;

/**
 * How the values of a reduction come together in one cell.
 *
 * @param operator the reducer
 * @param zeroIsIdentity whether combining any value that can occur with 0 gives that value, so that
 *     a cell that holds 0 needs no flag that says whether a value has come
 */
public record Fold(Operator operator, boolean zeroIsIdentity) {
  public static final Fold SUM = new Fold(Operator.PLUS, true);

  /** The fold of a reduction; of anything else, whose cells take one value each, a sum. */
  public static Fold of(TensorExpr expr) {
    if (!(expr instanceof TensorExpr.Reduce reduce)) {
      return SUM;
    }
    boolean zero =
        reduce.operator() == Operator.PLUS
            || reduce.operator() == Operator.MAX && isNonNegative(reduce.body());
    return new Fold(reduce.operator(), zero);
  }

  private static boolean isNonNegative(TensorExpr expr) {
    if (expr instanceof TensorExpr.Product product) {
      return switch (product.operator()) {
        case PAIR -> true;
        case MIN, MAX -> product.factors().stream().allMatch(Fold::isNonNegative);
        case FIRST -> isNonNegative(product.factors().get(0));
        default -> false;
      };
    } else if (expr instanceof TensorExpr.Reduce reduce) {
      return reduce.operator().isIdempotent() && isNonNegative(reduce.body());
    }
    return expr instanceof TensorExpr.Apply apply && apply.function() == TensorExpr.Function.TRUTH;
  }

  /**
   * Whether values are added to a cell that starts with zero, so that no branch asks for its first
   * value.
   */
  public boolean addsToZero() {
    return operator == Operator.PLUS && zeroIsIdentity;
  }

  /** Whether a cell can start with {@link #identity}; {@code any} has none. */
  public boolean hasIdentity() {
    return operator != Operator.ANY;
  }

  /** What a cell holds before the first value comes. */
  public Expr identity(ScalarType type) {
    if (zeroIsIdentity || !hasIdentity()) {
      return number(0, type);
    }
    boolean greatest = operator == Operator.MIN;
    return switch (type) {
      case F64, F32 ->
          new Expr.FloatLiteral(
              greatest ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY, type);
      case I32 -> number(greatest ? Integer.MAX_VALUE : Integer.MIN_VALUE, type);
      case I64, BOOL -> number(greatest ? Long.MAX_VALUE : Long.MIN_VALUE, type);
    };
  }

  private static Expr number(long value, ScalarType type) {
    return type.isFloat()
        ? new Expr.FloatLiteral(value, type)
        : Values.convert(Expr.of(value), type);
  }

  /** What a cell that holds {@code old}, the result of values that came, holds with one more. */
  public Expr combine(Expr old, Expr value) {
    return switch (operator) {
      case MIN -> new Expr.Binary(Expr.Op.MIN, old, value);
      case MAX -> new Expr.Binary(Expr.Op.MAX, old, value);
      case ANY -> old;
      default -> new Expr.Binary(Expr.Op.ADD, old, value);
    };
  }

  /** Combines {@code value} with what the cell holds, the result of values that came. */
  public void into(Buffer cells, Expr position, Expr value, Code code) {
    if (operator == Operator.PLUS) {
      code.add(new Stmt.Accumulate(cells, position, value));
    } else if (operator != Operator.ANY) {
      Expr old = new Expr.Load(cells, position);
      code.add(new Stmt.Store(cells, position, combine(old, value)));
    }
  }
}
