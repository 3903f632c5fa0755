package org.weft.spark.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/** Spark's predicates as conditions on coordinates, where they say nothing else. */
final class Predicates {
  private final TensorColumns columns;

  Predicates(TensorColumns columns) {
    this.columns = columns;
  }

  /** What {@code predicate} asks, exactly; empty if Spark has to look at the rows. */
  Optional<CoordinateFilter> translate(Predicate predicate) {
    Expression[] children = predicate.children();
    return switch (predicate.name()) {
      case "AND" -> both(children).map(CoordinateFilter.All::new);
      case "OR" -> both(children).map(CoordinateFilter.Any::new);
      case "NOT" -> children[0] instanceof Predicate inner ? negated(inner) : Optional.empty();
      case "IN" -> oneOf(children);
      case "IS_NOT_NULL" ->
          mode(children[0]).isPresent()
              ? Optional.of(new CoordinateFilter.All(List.of()))
              : Optional.empty();
      case "=", "<=>", "<>", "<", "<=", ">", ">=" -> compared(predicate.name(), children);
      default -> Optional.empty();
    };
  }

  private Optional<List<CoordinateFilter>> both(Expression[] children) {
    List<CoordinateFilter> filters = new ArrayList<>();
    for (Expression child : children) {
      Optional<CoordinateFilter> filter =
          child instanceof Predicate predicate ? translate(predicate) : Optional.empty();
      if (filter.isEmpty()) {
        return Optional.empty();
      }
      filters.add(filter.get());
    }
    return Optional.of(filters);
  }

  private Optional<CoordinateFilter> negated(Predicate inner) {
    String opposite =
        switch (inner.name()) {
          case "=" -> "<>";
          case "<" -> ">=";
          case "<=" -> ">";
          case ">" -> "<=";
          case ">=" -> "<";
          default -> "";
        };
    return opposite.isEmpty() ? Optional.empty() : compared(opposite, inner.children());
  }

  private Optional<CoordinateFilter> oneOf(Expression[] children) {
    OptionalInt mode = mode(children[0]);
    long[] values = new long[children.length - 1];
    for (int i = 0; i < values.length; i++) {
      OptionalLong value = number(children[i + 1]);
      if (mode.isEmpty() || value.isEmpty()) {
        return Optional.empty();
      }
      values[i] = value.getAsLong();
    }
    return Optional.of(new CoordinateFilter.OneOf(mode.orElseThrow(), values));
  }

  private Optional<CoordinateFilter> compared(String operator, Expression[] children) {
    boolean mirrored = mode(children[0]).isEmpty();
    OptionalInt column = mode(children[mirrored ? 1 : 0]);
    OptionalLong literal = number(children[mirrored ? 0 : 1]);
    if (column.isEmpty() || literal.isEmpty()) {
      return Optional.empty();
    }
    int mode = column.getAsInt();
    long value = literal.getAsLong();
    return Optional.of(
        switch (mirrored ? mirror(operator) : operator) {
          case "<" -> below(mode, value);
          case "<=" -> new CoordinateFilter.Between(mode, 0, value);
          case ">" -> above(mode, value);
          case ">=" -> new CoordinateFilter.Between(mode, value, Long.MAX_VALUE);
          case "<>" -> new CoordinateFilter.Any(List.of(below(mode, value), above(mode, value)));
          default -> new CoordinateFilter.Between(mode, value, value);
        });
  }

  private static CoordinateFilter below(int mode, long value) {
    return new CoordinateFilter.Between(mode, 0, value == Long.MIN_VALUE ? value : value - 1);
  }

  private static CoordinateFilter above(int mode, long value) {
    return value == Long.MAX_VALUE
        ? new CoordinateFilter.Any(List.of())
        : new CoordinateFilter.Between(mode, value + 1, Long.MAX_VALUE);
  }

  private static String mirror(String operator) {
    return switch (operator) {
      case "<" -> ">";
      case "<=" -> ">=";
      case ">" -> "<";
      case ">=" -> "<=";
      default -> operator;
    };
  }

  private OptionalInt mode(Expression expression) {
    return expression instanceof NamedReference reference && reference.fieldNames().length == 1
        ? columns.mode(reference.fieldNames()[0])
        : OptionalInt.empty();
  }

  /** The 0-based coordinate that a literal names. */
  private OptionalLong number(Expression expression) {
    if (expression instanceof Literal<?> literal
        && (literal.value() instanceof Long || literal.value() instanceof Integer)) {
      long value = ((Number) literal.value()).longValue();
      return OptionalLong.of(value == Long.MIN_VALUE ? value : value - columns.base());
    }
    return OptionalLong.empty();
  }
}
