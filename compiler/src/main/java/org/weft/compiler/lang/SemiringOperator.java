package org.weft.compiler.lang;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The operators that {@code @(add,multiply)} and {@code @(operator)} name. */
public enum SemiringOperator {
  PLUS("+"),
  MINUS("-"),
  TIMES("*"),
  MIN("min"),
  MAX("max"),
  ANY("any"),
  OR("or"),
  AND("and"),
  FIRST("first"),
  SECOND("second"),
  PAIR("pair");

  /** What may stand first in {@code @(add,multiply)}. */
  public static final Set<SemiringOperator> ADDITIVE = EnumSet.of(PLUS, MIN, MAX, ANY, OR);

  /** What may stand second in {@code @(add,multiply)}. */
  public static final Set<SemiringOperator> MULTIPLICATIVE =
      EnumSet.of(TIMES, PLUS, MINUS, MIN, MAX, FIRST, SECOND, PAIR, AND, OR);

  /** What may stand in {@code @(operator)}. */
  public static final Set<SemiringOperator> ELEMENTWISE = EnumSet.of(PLUS, MINUS, TIMES, MIN, MAX);

  private final String text;

  SemiringOperator(String text) {
    this.text = text;
  }

  /** How the operator is written. */
  public String text() {
    return text;
  }

  /** The operator written {@code text}; {@code |} and {@code &} are {@code or} and {@code and}. */
  static @Nullable SemiringOperator of(String text) {
    return switch (text) {
      case "|" -> OR;
      case "&" -> AND;
      default -> Arrays.stream(values()).filter(o -> o.text.equals(text)).findFirst().orElse(null);
    };
  }

  static String list(Set<SemiringOperator> operators) {
    return operators.stream().map(SemiringOperator::text).collect(Collectors.joining(" "));
  }
}
