package org.weft.compiler.algebra;

/**
 * The operators that sums, products and reductions carry. Which coordinates take part is said by
 * the node: a sum combines the operands that are present, a product exists where all are.
 *
 * <p>A reducer combines the values that are present, in any order but {@code ANY}, which keeps the
 * first in storage order; where none is present the reduction is absent, which a dense result shows
 * as 0.
 */
public enum Operator {
  PLUS("+"),
  MINUS("-"),
  TIMES("*"),
  /** Integers: x / 0 is 0, and the quotient wraps as in Java. */
  DIVIDE("/"),
  MIN("min"),
  MAX("max"),
  /** The first operand that is present. */
  ANY("any"),
  /** The value of the first operand; the others only have to be present. */
  FIRST("first"),
  /** The value of the last operand; the others only have to be present. */
  SECOND("second"),
  /** 1 where all operands are present. */
  PAIR("pair");

  private final String symbol;

  Operator(String symbol) {
    this.symbol = symbol;
  }

  /** How the operator is written. */
  public String symbol() {
    return symbol;
  }

  /** Whether the operator can be that of a {@code Reduce} or a {@code Sum}: a monoid. */
  public boolean isReducer() {
    return this == PLUS || this == MIN || this == MAX || this == ANY;
  }

  /** {@code (a op b) op c = a op (b op c)}, for a product of {@code a}, {@code b} and {@code c}. */
  public boolean isAssociative() {
    return this != MINUS && this != DIVIDE;
  }

  public boolean isCommutative() {
    return switch (this) {
      case PLUS, TIMES, MIN, MAX, PAIR -> true;
      default -> false;
    };
  }

  /** {@code a op a = a}. */
  public boolean isIdempotent() {
    return this == MIN || this == MAX || this == ANY;
  }

  /** Whether a product with this operator uses the value of operand {@code number} of {@code n}. */
  public boolean usesValue(int number, int n) {
    return switch (this) {
      case PAIR -> false;
      case FIRST -> number == 0;
      case SECOND -> number == n - 1;
      default -> true;
    };
  }

  /**
   * Whether {@code a op reduce_v(b) = reduce_v(a op b)}, where {@code b} is operand {@code number}
   * of {@code n} and the others do not use {@code v}. Sums and products of floats may be
   * reassociated; those of integers wrap, which only {@code *} over {@code +} survives.
   *
   * @param integers whether the values are integers
   */
  public boolean distributesOver(Operator reducer, int number, int n, boolean integers) {
    if (reducer == ANY) {
      return true;
    }
    if (!usesValue(number, n)) {
      return reducer.isIdempotent();
    }
    return switch (this) {
      case FIRST, SECOND -> true;
      case TIMES -> reducer == PLUS;
      case PLUS -> reducer.isIdempotent() && !integers;
      case MIN, MAX -> reducer.isIdempotent();
      default -> false;
    };
  }
}
