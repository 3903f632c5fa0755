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

  record Number(double value, SourceSpan span) implements Syntax {}

  record Negation(Syntax operand, SourceSpan span) implements Syntax {}

  /** Operators with two operands, associating to the left. */
  enum Operator {
    ADD,
    SUBTRACT,
    MULTIPLY,
    ELEMENTWISE_MULTIPLY
  }

  record Operation(Operator operator, Syntax left, Syntax right, SourceSpan span)
      implements Syntax {}

  /** {@code abs(e)}, {@code min(a, b)}. */
  record Call(String function, List<Syntax> arguments, SourceSpan span) implements Syntax {
    public Call {
      arguments = List.copyOf(arguments);
    }
  }

  /** {@code sum(j, e)}: an explicit reduction. */
  record Reduction(Label label, Syntax body, SourceSpan span) implements Syntax {}

  /** What stands where an operand could not be read; an error has been reported. */
  record Missing(SourceSpan span) implements Syntax {}
}
