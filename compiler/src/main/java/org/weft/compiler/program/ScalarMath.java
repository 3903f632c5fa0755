package org.weft.compiler.program;

import java.util.List;
import org.weft.compiler.lang.Syntax;

/** Evaluates scalar expressions; sums and semirings go through {@link Assignments}. */
record ScalarMath(CallFrame frame, Assignments assignments) {
  Scalar evaluate(Syntax expression) {
    if (expression instanceof Syntax.Number e) {
      return Scalar.constant(e.value().doubleValue());
    } else if (expression instanceof Syntax.Access e) {
      return variable(e);
    } else if (expression instanceof Syntax.Negation e) {
      Scalar operand = evaluate(e.operand());
      return operand.value() instanceof Long n
          ? Scalar.computed(-n)
          : new Scalar(-operand.asDouble(), operand.constant());
    } else if (expression instanceof Syntax.Operation e) {
      return operation(e.operator(), evaluate(e.left()), evaluate(e.right()));
    } else if (expression instanceof Syntax.Call e) {
      return call(e.function(), e.arguments().stream().map(this::evaluate).toList());
    } else if (expression instanceof Syntax.Sum e) {
      return assignments.sum(e);
    }
    return assignments.sum(new Syntax.Sum(expression, expression.span()));
  }

  private Scalar variable(Syntax.Access access) {
    if (!frame.isTensor(access.tensor())) {
      return frame.scalar(access.tensor());
    }
    Syntax.Sum sum = new Syntax.Sum(access, access.span());
    return assignments.sum(sum);
  }

  private static Scalar operation(Syntax.Operator operator, Scalar left, Scalar right) {
    if (left.value() instanceof Long a && right.value() instanceof Long b) {
      switch (operator) {
        case ADD:
          return Scalar.computed(a + b);
        case SUBTRACT:
          return Scalar.computed(a - b);
        case MULTIPLY, ELEMENTWISE_MULTIPLY:
          return Scalar.computed(a * b);
        case DIVIDE:
          break;
      }
    }
    double a = left.asDouble();
    double b = right.asDouble();
    double value =
        switch (operator) {
          case ADD -> a + b;
          case SUBTRACT -> a - b;
          case MULTIPLY, ELEMENTWISE_MULTIPLY -> a * b;
          case DIVIDE -> a / b;
        };
    return new Scalar(value, left.constant() && right.constant());
  }

  private static Scalar call(String function, List<Scalar> arguments) {
    if (arguments.stream().allMatch(argument -> argument.value() instanceof Long)) {
      long first = arguments.get(0).value().longValue();
      long last = arguments.get(arguments.size() - 1).value().longValue();
      switch (function) {
        case "abs":
          return Scalar.computed(Math.abs(first));
        case "min":
          return Scalar.computed(Math.min(first, last));
        case "max":
          return Scalar.computed(Math.max(first, last));
        default:
          break;
      }
    }
    double a = arguments.get(0).asDouble();
    double value =
        switch (function) {
          case "abs" -> Math.abs(a);
          case "sqrt" -> Math.sqrt(a);
          case "exp" -> Math.exp(a);
          case "log" -> Math.log(a);
          case "min" -> Math.min(a, arguments.get(1).asDouble());
          case "max" -> Math.max(a, arguments.get(1).asDouble());
          default -> throw new IllegalStateException("no function " + function);
        };
    return new Scalar(value, arguments.stream().allMatch(Scalar::constant));
  }
}
