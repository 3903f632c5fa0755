package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.weft.compiler.lang.SourceSpan;

/** An expression of tensor algebra; its value has one cell per assignment of its free variables. */
public sealed interface TensorExpr {

  /** {@code B(i,j,k)}; {@code variables} are in mode order. {@code id} is unique per occurrence. */
  record Access(int id, TensorVar tensor, List<IndexVar> variables, SourceSpan span)
      implements TensorExpr {
    public Access {
      variables = List.copyOf(variables);
      if (variables.size() != tensor.format().order()) {
        throw new IllegalArgumentException(
            tensor + " has order " + tensor.format().order() + ", accessed with " + variables);
      }
    }

    /** The same access of another tensor, or of the tensor in another format. */
    public Access of(TensorVar other) {
      return new Access(id, other, variables, span);
    }

    /** The variable of the mode that {@code level} stores. */
    public IndexVar variableAt(int level) {
      return variables.get(tensor.format().modeOf(level));
    }

    @Override
    public String toString() {
      return variables.isEmpty() ? tensor.name() : tensor.name() + list(variables, ",");
    }
  }

  /** A number, a {@code Long} or a {@code Double}; present at every coordinate, also when 0. */
  record Literal(Number value) implements TensorExpr {
    public Literal {
      if (!(value instanceof Long || value instanceof Double)) {
        throw new IllegalArgumentException("expected a Long or a Double, found " + value);
      }
    }

    @Override
    public String toString() {
      double number = value.doubleValue();
      return value instanceof Long || number == Math.rint(number) && Math.abs(number) < 1e15
          ? Long.toString(value.longValue())
          : Double.toString(number);
    }
  }

  /** Structurally zero: no coordinate is present. */
  record Zero() implements TensorExpr {
    @Override
    public String toString() {
      return "0";
    }
  }

  /**
   * Present where a term is; its value combines the terms that are present with {@code operator}, a
   * reducer.
   */
  record Sum(Operator operator, List<TensorExpr> terms) implements TensorExpr {
    public Sum {
      terms = List.copyOf(terms);
      if (!operator.isReducer()) {
        throw new IllegalArgumentException("no sum has the operator " + operator);
      }
    }

    /** A sum with {@code +}. */
    public Sum(List<TensorExpr> terms) {
      this(Operator.PLUS, terms);
    }

    @Override
    public String toString() {
      if (operator != Operator.PLUS) {
        return infix(terms, operator);
      }
      StringBuilder text = new StringBuilder();
      for (TensorExpr term : terms) {
        boolean minus = term instanceof Negate;
        if (text.length() > 0) {
          text.append(minus ? " - " : " + ");
        } else if (minus) {
          text.append('-');
        }
        TensorExpr shown = term instanceof Negate negate ? negate.operand() : term;
        text.append(shown instanceof Sum ? "(" + shown + ")" : shown.toString());
      }
      return text.toString();
    }
  }

  /** Present where all factors are; its value combines them with {@code operator}. */
  record Product(Operator operator, List<TensorExpr> factors) implements TensorExpr {
    public Product {
      factors = List.copyOf(factors);
    }

    /** A product with {@code *}. */
    public Product(List<TensorExpr> factors) {
      this(Operator.TIMES, factors);
    }

    /** Whether {@code expr} is a product with {@code *}. */
    public static boolean isTimes(TensorExpr expr) {
      return expr instanceof Product product && product.operator() == Operator.TIMES;
    }

    @Override
    public String toString() {
      if (operator != Operator.TIMES) {
        return infix(factors, operator);
      }
      return factors.stream()
          .map(
              f ->
                  f instanceof Sum || f instanceof Negate || f instanceof Product
                      ? "(" + f + ")"
                      : f.toString())
          .collect(Collectors.joining(" * "));
    }
  }

  record Negate(TensorExpr operand) implements TensorExpr {
    @Override
    public String toString() {
      boolean compound =
          operand instanceof Sum || operand instanceof Product && !Product.isTimes(operand);
      return compound ? "-(" + operand + ")" : "-" + operand;
    }
  }

  /** An element function of one or two operands. */
  record Apply(Function function, List<TensorExpr> arguments) implements TensorExpr {
    public Apply {
      arguments = List.copyOf(arguments);
    }

    @Override
    public String toString() {
      return function.keyword() + list(arguments, ", ");
    }
  }

  /**
   * The values of {@code body} over all values of {@code variable}, combined with {@code operator},
   * a reducer; absent where none is present.
   */
  record Reduce(Operator operator, IndexVar variable, TensorExpr body) implements TensorExpr {
    public Reduce {
      if (!operator.isReducer()) {
        throw new IllegalArgumentException("no reduction has the operator " + operator);
      }
    }

    /** A sum. */
    public Reduce(IndexVar variable, TensorExpr body) {
      this(Operator.PLUS, variable, body);
    }

    /** This reduction of another body. */
    public Reduce of(TensorExpr other) {
      return new Reduce(operator, variable, other);
    }

    @Override
    public String toString() {
      String name = operator == Operator.PLUS ? "sum" : operator.symbol();
      return name + "_" + variable + "(" + body + ")";
    }
  }

  /** Element functions. */
  enum Function {
    ABS(true),
    SQRT(true),
    EXP(false),
    LOG(false),
    MIN(true),
    MAX(true),
    /** 1 where the argument is not 0, else 0: the values of {@code and} and {@code or}. */
    TRUTH(true),
    /**
     * The operand itself, present only where it is not 0. Not part of the language: conversions use
     * it to leave padding behind. Only as a whole right side.
     */
    NONZERO(true);

    private final boolean preservesZero;

    Function(boolean preservesZero) {
      this.preservesZero = preservesZero;
    }

    /** Whether the function is 0 where all its arguments are, so that it keeps sparsity. */
    public boolean preservesZero() {
      return preservesZero;
    }

    /** Whether the values at whole numbers may be fractions. */
    public boolean isFractional() {
      return this == SQRT || this == EXP || this == LOG;
    }

    public String keyword() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The direct sub-expressions, left to right. */
  default List<TensorExpr> children() {
    if (this instanceof Sum e) {
      return e.terms();
    } else if (this instanceof Product e) {
      return e.factors();
    } else if (this instanceof Negate e) {
      return List.of(e.operand());
    } else if (this instanceof Apply e) {
      return e.arguments();
    } else if (this instanceof Reduce e) {
      return List.of(e.body());
    }
    return List.of();
  }

  /** This node with each direct sub-expression replaced. */
  default TensorExpr mapChildren(UnaryOperator<TensorExpr> map) {
    if (this instanceof Sum e) {
      return new Sum(e.operator(), e.terms().stream().map(map).toList());
    } else if (this instanceof Product e) {
      return new Product(e.operator(), e.factors().stream().map(map).toList());
    } else if (this instanceof Negate e) {
      return new Negate(map.apply(e.operand()));
    } else if (this instanceof Apply e) {
      return new Apply(e.function(), e.arguments().stream().map(map).toList());
    } else if (this instanceof Reduce e) {
      return e.of(map.apply(e.body()));
    }
    return this;
  }

  /** All accesses, left to right. */
  default List<Access> accesses() {
    List<Access> found = new ArrayList<>();
    collect(this, found);
    return found;
  }

  private static void collect(TensorExpr expr, List<Access> into) {
    if (expr instanceof Access access) {
      into.add(access);
    }
    expr.children().forEach(child -> collect(child, into));
  }

  /** The accesses whose values, not only whose presence, matter, left to right. */
  default List<Access> valueAccesses() {
    List<Access> found = new ArrayList<>();
    collectValues(this, found);
    return found;
  }

  private static void collectValues(TensorExpr expr, List<Access> into) {
    if (expr instanceof Access access) {
      into.add(access);
    } else if (expr instanceof Product product) {
      int n = product.factors().size();
      for (int number = 0; number < n; number++) {
        if (product.operator().usesValue(number, n)) {
          collectValues(product.factors().get(number), into);
        }
      }
    } else {
      expr.children().forEach(child -> collectValues(child, into));
    }
  }

  /** Variables of all accesses, bound ones included, in order of appearance. */
  default Set<IndexVar> allVariables() {
    Set<IndexVar> found = new LinkedHashSet<>();
    accesses().forEach(access -> found.addAll(access.variables()));
    return found;
  }

  /** Variables that no {@code Reduce} inside binds, in order of appearance. */
  default Set<IndexVar> freeVariables() {
    Set<IndexVar> free = allVariables();
    free.removeAll(reducedVariables());
    return free;
  }

  /** Variables bound by a {@code Reduce} inside. */
  default Set<IndexVar> reducedVariables() {
    Set<IndexVar> bound = new LinkedHashSet<>();
    if (this instanceof Reduce reduce) {
      bound.add(reduce.variable());
    }
    children().forEach(child -> bound.addAll(child.reducedVariables()));
    return bound;
  }

  /** Whether {@code variable} is used, free or bound. */
  default boolean uses(IndexVar variable) {
    return this instanceof Access access
        ? access.variables().contains(variable)
        : children().stream().anyMatch(child -> child.uses(variable));
  }

  private static String infix(List<TensorExpr> operands, Operator operator) {
    return operands.stream()
        .map(
            e ->
                e instanceof Sum || e instanceof Product || e instanceof Negate
                    ? "(" + e + ")"
                    : e.toString())
        .collect(Collectors.joining(" " + operator.symbol() + " "));
  }

  private static String list(List<?> items, String separator) {
    return items.stream().map(Object::toString).collect(Collectors.joining(separator, "(", ")"));
  }
}
