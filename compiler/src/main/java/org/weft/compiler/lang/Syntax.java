package org.weft.compiler.lang;

import java.util.List;

/** An expression as it was written. */
public sealed interface Syntax {
  SourceSpan span();

  /** A label in brackets. */
  record Label(String name, SourceSpan span) {}

  /** {@code B(i,j)}, {@code B[i,j]}, or {@code alpha} for a scalar. */
  record Access(String tensor, List<Label> labels, SourceSpan span) implements Syntax {
    public Access {
      labels = List.copyOf(labels);
    }
  }

  /**
   * A number: a {@code Long} when it is written with digits only and fits, else a {@code Double}.
   */
  record Number(java.lang.Number value, SourceSpan span) implements Syntax {
    public Number {
      if (!(value instanceof Long || value instanceof Double)) {
        throw new IllegalArgumentException("expected a Long or a Double, found " + value);
      }
    }
  }

  record Negation(Syntax operand, SourceSpan span) implements Syntax {}

  /** Operators with two operands, associating to the left. */
  enum Operator {
    ADD,
    SUBTRACT,
    MULTIPLY,
    ELEMENTWISE_MULTIPLY,
    DIVIDE
  }

  record Operation(Operator operator, Syntax left, Syntax right, SourceSpan span)
      implements Syntax {}

  /**
   * {@code left @(add,multiply) right}: labels that the left side of the statement lacks are
   * reduced with {@code add}.
   */
  record Semiring(
      Syntax left, SemiringOperator add, SemiringOperator multiply, Syntax right, SourceSpan span)
      implements Syntax {}

  /** {@code left @(operator) right}, elementwise. */
  record Monoid(Syntax left, SemiringOperator operator, Syntax right, SourceSpan span)
      implements Syntax {}

  /** {@code transpose(A[i,j],{j,i})}: {@code operand} with its modes in the order of the labels. */
  record Transpose(Syntax operand, List<Label> labels, SourceSpan span) implements Syntax {
    public Transpose {
      labels = List.copyOf(labels);
    }
  }

  /** {@code abs(e)}, {@code min(a, b)}. */
  record Call(String function, List<Syntax> arguments, SourceSpan span) implements Syntax {
    public Call {
      arguments = List.copyOf(arguments);
    }
  }

  /** {@code sum(j, e)}: an explicit reduction. */
  record Reduction(Label label, Syntax body, SourceSpan span) implements Syntax {}

  /** {@code SUM(e)}: the sum over all labels of {@code e}. */
  record Sum(Syntax body, SourceSpan span) implements Syntax {}

  /** What stands where an operand could not be read; an error has been reported. */
  record Missing(SourceSpan span) implements Syntax {}

  /** The direct sub-expressions, left to right. */
  default List<Syntax> children() {
    if (this instanceof Negation e) {
      return List.of(e.operand());
    } else if (this instanceof Operation e) {
      return List.of(e.left(), e.right());
    } else if (this instanceof Semiring e) {
      return List.of(e.left(), e.right());
    } else if (this instanceof Monoid e) {
      return List.of(e.left(), e.right());
    } else if (this instanceof Transpose e) {
      return List.of(e.operand());
    } else if (this instanceof Call e) {
      return e.arguments();
    } else if (this instanceof Reduction e) {
      return List.of(e.body());
    } else if (this instanceof Sum e) {
      return List.of(e.body());
    }
    return List.of();
  }
}
