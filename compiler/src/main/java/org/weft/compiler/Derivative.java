package org.weft.compiler;

import java.util.Locale;
import java.util.stream.Collectors;
import org.weft.compiler.lang.Syntax;

/** The rules of differentiation, on text: what is 0 or 1 is left out. */
final class Derivative {
  /** Of u, a number as good as its sign, and 0 where it is 0: a float holds the divisor, too. */
  private static final String SIGN = "(%s / max(abs(%s), 2e-38))";

  private Derivative() {}

  static String of(Syntax e, String name) {
    if (e instanceof Syntax.Access access) {
      return access.tensor().equals(name) ? "1" : "0";
    } else if (e instanceof Syntax.Negation negation) {
      return minus("0", of(negation.operand(), name));
    } else if (e instanceof Syntax.Operation operation) {
      return operation(operation, name);
    } else if (e instanceof Syntax.Call call) {
      return call(call, name);
    } else if (e instanceof Syntax.Number) {
      return "0";
    }
    throw new IllegalArgumentException(e + " has no derivative");
  }

  private static String operation(Syntax.Operation e, String name) {
    String u = text(e.left());
    String v = text(e.right());
    String du = of(e.left(), name);
    String dv = of(e.right(), name);
    return switch (e.operator()) {
      case ADD -> plus(du, dv);
      case SUBTRACT -> minus(du, dv);
      case MULTIPLY, ELEMENTWISE_MULTIPLY -> plus(times(du, v), times(u, dv));
      case DIVIDE -> minus(over(du, v), times(over(u, times(v, v)), dv));
    };
  }

  private static String call(Syntax.Call e, String name) {
    String u = text(e.arguments().get(0));
    String du = of(e.arguments().get(0), name);
    return switch (e.function()) {
      case "abs" -> times(sign(u), du);
      case "sqrt" -> over(du, times("2", text(e)));
      case "exp" -> times(text(e), du);
      case "log" -> over(du, u);
      case "min", "max" -> {
        String v = text(e.arguments().get(1));
        String dv = of(e.arguments().get(1), name);
        String apart = times(sign(minus(u, v)), minus(du, dv));
        String twice =
            e.function().equals("max") ? plus(plus(du, dv), apart) : minus(plus(du, dv), apart);
        yield times("0.5", twice);
      }
      default -> throw new IllegalArgumentException(e.function() + " has no derivative");
    };
  }

  private static String sign(String u) {
    return String.format(Locale.ROOT, SIGN, u, u);
  }

  private static String plus(String u, String v) {
    return u.equals("0") ? v : v.equals("0") ? u : "(" + u + " + " + v + ")";
  }

  private static String minus(String u, String v) {
    return v.equals("0") ? u : u.equals("0") ? times("(-1)", v) : "(" + u + " - " + v + ")";
  }

  private static String times(String u, String v) {
    if (u.equals("0") || v.equals("0")) {
      return "0";
    }
    return u.equals("1") ? v : v.equals("1") ? u : "(" + u + " * " + v + ")";
  }

  private static String over(String u, String v) {
    return u.equals("0") ? "0" : "(" + u + " / " + v + ")";
  }

  /** An expression as the language has it, in parentheses where it needs them. */
  static String text(Syntax e) {
    if (e instanceof Syntax.Access access) {
      return access.tensor();
    } else if (e instanceof Syntax.Number number) {
      return number.value().toString();
    } else if (e instanceof Syntax.Negation negation) {
      return "(-" + text(negation.operand()) + ")";
    } else if (e instanceof Syntax.Operation operation) {
      String sign =
          switch (operation.operator()) {
            case ADD -> " + ";
            case SUBTRACT -> " - ";
            case MULTIPLY, ELEMENTWISE_MULTIPLY -> " * ";
            case DIVIDE -> " / ";
          };
      return "(" + text(operation.left()) + sign + text(operation.right()) + ")";
    } else if (e instanceof Syntax.Call call) {
      return call.arguments().stream()
          .map(Derivative::text)
          .collect(Collectors.joining(", ", call.function() + "(", ")"));
    }
    return e.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }
}
