package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** A generated expression. {@link #text()} is what the compiler gets. */
sealed interface Term {
  /** {@code B(i,j)}; a scalar has no labels. */
  record Access(String tensor, List<String> labels) implements Term {
    public Access {
      labels = List.copyOf(labels);
    }
  }

  /** A literal, printed so that it reads back exactly. */
  record Number(double value) implements Term {}

  record Negate(Term operand) implements Term {}

  /** Operators written between two operands. */
  enum Operator {
    ADD("+", 1),
    SUBTRACT("-", 1),
    MULTIPLY("*", 2),
    ELEMENTWISE(".*", 2),
    DIVIDE("/", 2);

    private final String symbol;
    private final int precedence;

    Operator(String symbol, int precedence) {
      this.symbol = symbol;
      this.precedence = precedence;
    }
  }

  record Binary(Operator operator, Term left, Term right) implements Term {}

  /** {@code abs sqrt exp log} of one argument, {@code min max} of two. */
  record Call(String function, List<Term> arguments) implements Term {
    public Call {
      arguments = List.copyOf(arguments);
    }
  }

  /** {@code left @(add,multiply) right}. */
  record Semiring(String add, String multiply, Term left, Term right) implements Term {}

  /** {@code left @(operator) right}. */
  record Monoid(String operator, Term left, Term right) implements Term {}

  /** {@code transpose(A[i,j],{j,i})}. */
  record Transpose(Term operand, List<String> labels) implements Term {
    public Transpose {
      labels = List.copyOf(labels);
    }
  }

  /** {@code SUM(body)}: over all labels of the body. */
  record Total(Term body) implements Term {}

  /** {@code sum(j, body)}. */
  record Sum(String label, Term body) implements Term {}

  /** Direct sub-terms, left to right. */
  default List<Term> children() {
    if (this instanceof Negate t) {
      return List.of(t.operand());
    } else if (this instanceof Binary t) {
      return List.of(t.left(), t.right());
    } else if (this instanceof Call t) {
      return t.arguments();
    } else if (this instanceof Sum t) {
      return List.of(t.body());
    } else if (this instanceof Semiring t) {
      return List.of(t.left(), t.right());
    } else if (this instanceof Monoid t) {
      return List.of(t.left(), t.right());
    } else if (this instanceof Transpose t) {
      return List.of(t.operand());
    } else if (this instanceof Total t) {
      return List.of(t.body());
    }
    return List.of();
  }

  /** This term with every direct sub-term replaced. */
  default Term map(UnaryOperator<Term> f) {
    if (this instanceof Negate t) {
      return new Negate(f.apply(t.operand()));
    } else if (this instanceof Binary t) {
      return new Binary(t.operator(), f.apply(t.left()), f.apply(t.right()));
    } else if (this instanceof Call t) {
      return new Call(t.function(), t.arguments().stream().map(f).toList());
    } else if (this instanceof Sum t) {
      return new Sum(t.label(), f.apply(t.body()));
    } else if (this instanceof Semiring t) {
      return new Semiring(t.add(), t.multiply(), f.apply(t.left()), f.apply(t.right()));
    } else if (this instanceof Monoid t) {
      return new Monoid(t.operator(), f.apply(t.left()), f.apply(t.right()));
    } else if (this instanceof Transpose t) {
      Term operand = f.apply(t.operand());
      List<String> labels = new ArrayList<>(t.labels());
      labels.retainAll(operand.freeLabels());
      return new Transpose(operand, labels);
    } else if (this instanceof Total t) {
      return new Total(f.apply(t.body()));
    }
    return this;
  }

  /** All accesses, left to right. */
  default List<Access> accesses() {
    List<Access> found = new ArrayList<>();
    if (this instanceof Access access) {
      found.add(access);
    }
    children().forEach(child -> found.addAll(child.accesses()));
    return found;
  }

  /** Labels that no sum inside binds, in order of appearance. */
  default Set<String> freeLabels() {
    Set<String> free = new LinkedHashSet<>();
    if (this instanceof Access access) {
      free.addAll(access.labels());
    }
    children().forEach(child -> free.addAll(child.freeLabels()));
    if (this instanceof Sum sum) {
      free.remove(sum.label());
    } else if (this instanceof Total) {
      free.clear();
    }
    return free;
  }

  /** How many nodes the term has. */
  default int size() {
    return 1 + children().stream().mapToInt(Term::size).sum();
  }

  default String text() {
    return text(0);
  }

  /** The text, in parentheses when it binds weaker than {@code precedence}. */
  private String text(int precedence) {
    if (this instanceof Access t) {
      return t.labels().isEmpty()
          ? t.tensor()
          : t.tensor() + t.labels().stream().collect(Collectors.joining(",", "(", ")"));
    } else if (this instanceof Number t) {
      return t.value() == Math.rint(t.value())
          ? String.format(Locale.ROOT, "%.0f", t.value())
          : Double.toString(t.value());
    } else if (this instanceof Negate t) {
      return "-" + t.operand().text(3);
    } else if (this instanceof Binary t) {
      return infix(t.operator().symbol, t.operator().precedence, precedence, children());
    } else if (this instanceof Semiring t) {
      return infix("@(" + t.add() + "," + t.multiply() + ")", 2, precedence, children());
    } else if (this instanceof Monoid t) {
      return infix("@(" + t.operator() + ")", 2, precedence, children());
    } else if (this instanceof Call t) {
      return t.function()
          + t.arguments().stream().map(Term::text).collect(Collectors.joining(", ", "(", ")"));
    } else if (this instanceof Transpose t) {
      return "transpose(" + t.operand().text() + ",{" + String.join(",", t.labels()) + "})";
    } else if (this instanceof Total t) {
      return "SUM(" + t.body().text() + ")";
    }
    Sum t = (Sum) this;
    return "sum(" + t.label() + ", " + t.body().text() + ")";
  }

  private static String infix(String symbol, int own, int around, List<Term> operands) {
    String text = operands.get(0).text(own) + " " + symbol + " " + operands.get(1).text(own + 1);
    return own < around ? "(" + text + ")" : text;
  }
}
