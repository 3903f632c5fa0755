package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.lang.SemiringOperator;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;

/**
 * Evaluates a parsed statement cell by cell, from the definition of the language: every label runs
 * over its whole size. Says of each cell what its value is, how large the terms are that it was
 * summed from, and whether any stored operand contributes.
 */
final class DenseEvaluator {
  /**
   * @param magnitude the value with all terms made positive: what rounding errors scale with
   * @param present whether the cell has a stored value
   */
  record Cell(double value, double magnitude, boolean present) {}

  private static final Cell ABSENT = new Cell(0, 0, false);

  /** A label to reduce at a node, and how. */
  private record Reduced(String label, SemiringOperator operator) {}

  private final Map<String, SampleTensor> operands;
  private final Map<String, Long> sizes;
  private final boolean sparseResult;
  private final Map<Syntax, List<Reduced>> reductions = new IdentityHashMap<>();
  private final Map<String, BitSet> stored = new HashMap<>();

  DenseEvaluator(
      Statement statement,
      boolean sparseResult,
      Map<String, SampleTensor> operands,
      Map<String, Long> sizes) {
    this.operands = operands;
    this.sizes = sizes;
    this.sparseResult = sparseResult;
    operands.forEach(
        (name, tensor) ->
            stored.put(
                name, StoredStructure.of(tensor.format(), tensor.shape(), tensor.entries())));
    Set<String> result = new HashSet<>();
    statement.target().labels().forEach(label -> result.add(label.name()));
    place(statement.value(), result, false);
  }

  /** In SUM, what is no linear function of its operands is summed, not the operands. */
  private static boolean isSummed(Syntax node) {
    return node instanceof Syntax.Call
        || node instanceof Syntax.Monoid m && m.operator() != SemiringOperator.PLUS
        || node instanceof Syntax.Operation o && o.operator() == Syntax.Operator.DIVIDE;
  }

  private void place(Syntax root, Set<String> kept, boolean full) {
    for (String label : labels(root, new HashSet<>())) {
      if (kept.contains(label)) {
        continue;
      }
      Syntax at = root;
      Syntax.Semiring semiring = null;
      boolean straight = true;
      int all = uses(root, label);
      boolean inner = true;
      while (inner && !(full && isSummed(at))) {
        inner = false;
        if (at instanceof Syntax.Semiring s) {
          semiring = s;
          straight = true;
        } else {
          straight &= at.children().size() < 2;
        }
        for (Syntax child : at.children()) {
          if (uses(child, label) == all) {
            at = child;
            inner = true;
          }
        }
      }
      boolean alone = at instanceof Syntax.Access && straight && semiring != null;
      Syntax node = alone ? semiring : at;
      SemiringOperator operator =
          node instanceof Syntax.Semiring s ? s.add() : SemiringOperator.PLUS;
      reductions.computeIfAbsent(node, key -> new ArrayList<>()).add(new Reduced(label, operator));
    }
    placeSums(root);
  }

  private void placeSums(Syntax node) {
    if (node instanceof Syntax.Sum sum) {
      place(sum.body(), Set.of(), true);
    } else {
      node.children().forEach(this::placeSums);
    }
  }

  /** {@code coordinates} are those of labels outside of the node; the same afterwards. */
  private Cell evaluate(Syntax node, Map<String, Long> coordinates) {
    return reduce(reductions.getOrDefault(node, List.of()), node, coordinates);
  }

  /** What the statement assigns to a cell that held {@code old}. */
  Cell assigned(Statement statement, double old, Map<String, Long> at) {
    Map<String, Long> coordinates = new HashMap<>(at);
    Cell value = evaluate(statement.value(), coordinates);
    if (statement.mask() != null && !evaluate(statement.mask().tensor(), coordinates).present()) {
      value = ABSENT;
    }
    Cell before = new Cell(old, Math.abs(old), true);
    return switch (statement.assignment()) {
      case ASSIGN -> value;
      case ADD -> union(SemiringOperator.PLUS, before, value);
      case SUBTRACT -> union(SemiringOperator.PLUS, before, negated(value));
    };
  }

  private Cell reduce(List<Reduced> reduced, Syntax node, Map<String, Long> coordinates) {
    if (reduced.isEmpty()) {
      return node(node, coordinates);
    }
    Reduced last = reduced.get(reduced.size() - 1);
    Cell value = ABSENT;
    Long outer = coordinates.get(last.label());
    List<Reduced> others = reduced.subList(0, reduced.size() - 1);
    for (long c = 0; c < sizes.get(last.label()); c++) {
      coordinates.put(last.label(), c);
      Cell term = reduce(others, node, coordinates);
      if (last.operator() == SemiringOperator.OR && term.present()) {
        term = new Cell(truth(term.value()), 1, true);
      }
      value = union(last.operator(), value, term);
    }
    restore(coordinates, last.label(), outer);
    return value;
  }

  private static void restore(Map<String, Long> coordinates, String label, Long outer) {
    if (outer == null) {
      coordinates.remove(label);
    } else {
      coordinates.put(label, outer);
    }
  }

  private static Cell union(SemiringOperator operator, Cell a, Cell b) {
    if (!a.present() || !b.present()) {
      return a.present() ? a : b;
    }
    return new Cell(apply(operator, a.value(), b.value()), a.magnitude() + b.magnitude(), true);
  }

  private static Cell intersection(SemiringOperator operator, Cell a, Cell b) {
    if (!a.present() || !b.present()) {
      return ABSENT;
    }
    double magnitude =
        operator == SemiringOperator.TIMES
            ? a.magnitude() * b.magnitude()
            : a.magnitude() + b.magnitude();
    return new Cell(apply(operator, a.value(), b.value()), magnitude, true);
  }

  private static double apply(SemiringOperator operator, double a, double b) {
    return switch (operator) {
      case PLUS -> a + b;
      case MINUS -> a - b;
      case TIMES -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case ANY, FIRST -> a;
      case SECOND -> b;
      case PAIR -> 1;
      case OR -> Math.max(truth(a), truth(b));
      case AND -> Math.min(truth(a), truth(b));
    };
  }

  private static double truth(double value) {
    return value != 0 ? 1 : 0;
  }

  private Cell node(Syntax node, Map<String, Long> at) {
    if (node instanceof Syntax.Number number) {
      double value = number.value().doubleValue();
      return new Cell(value, Math.abs(value), true);
    } else if (node instanceof Syntax.Access access) {
      return access(access, at);
    } else if (node instanceof Syntax.Negation negation) {
      return negated(evaluate(negation.operand(), at));
    } else if (node instanceof Syntax.Reduction reduction) {
      Reduced sum = new Reduced(reduction.label().name(), SemiringOperator.PLUS);
      Cell value = ABSENT;
      Long outer = at.get(sum.label());
      for (long c = 0; c < sizes.get(sum.label()); c++) {
        at.put(sum.label(), c);
        value = union(SemiringOperator.PLUS, value, evaluate(reduction.body(), at));
      }
      restore(at, sum.label(), outer);
      return value;
    } else if (node instanceof Syntax.Operation operation) {
      return operation(operation, at);
    } else if (node instanceof Syntax.Semiring semiring) {
      return intersection(
          semiring.multiply(), evaluate(semiring.left(), at), evaluate(semiring.right(), at));
    } else if (node instanceof Syntax.Monoid monoid) {
      return monoid(monoid, at);
    } else if (node instanceof Syntax.Transpose transpose) {
      return evaluate(transpose.operand(), at);
    } else if (node instanceof Syntax.Sum sum) {
      return evaluate(sum.body(), at);
    }
    return call((Syntax.Call) node, at);
  }

  private Cell access(Syntax.Access access, Map<String, Long> at) {
    SampleTensor tensor = operands.get(access.tensor());
    int cell = 0;
    for (int mode = 0; mode < tensor.shape().order(); mode++) {
      long coordinate = at.get(access.labels().get(mode).name());
      if (coordinate >= tensor.shape().size(mode)) {
        return ABSENT; // a label of another access is longer
      }
      cell = cell * (int) tensor.shape().size(mode) + (int) coordinate;
    }
    double value = tensor.values()[cell];
    return stored.get(access.tensor()).get(cell) ? new Cell(value, Math.abs(value), true) : ABSENT;
  }

  private static Cell negated(Cell cell) {
    return new Cell(-cell.value(), cell.magnitude(), cell.present());
  }

  private Cell monoid(Syntax.Monoid monoid, Map<String, Long> at) {
    Cell left = evaluate(monoid.left(), at);
    Cell right = evaluate(monoid.right(), at);
    boolean meet = sparseResult && isFull(monoid.left()) != isFull(monoid.right());
    if (meet || monoid.operator() == SemiringOperator.TIMES) {
      return intersection(monoid.operator(), left, right);
    }
    return monoid.operator() == SemiringOperator.MINUS
        ? union(SemiringOperator.PLUS, left, negated(right))
        : union(monoid.operator(), left, right);
  }

  /** Only for operands of monoids, which tests keep to accesses, monoids and sums. */
  private boolean isFull(Syntax node) {
    if (node instanceof Syntax.Access access) {
      return operands.get(access.tensor()).format().isDense();
    } else if (node instanceof Syntax.Monoid monoid) {
      boolean all = monoid.children().stream().allMatch(this::isFull);
      boolean any = monoid.children().stream().anyMatch(this::isFull);
      return all || any && monoid.operator() != SemiringOperator.TIMES && !sparseResult;
    }
    return node.children().stream().allMatch(this::isFull);
  }

  private Cell operation(Syntax.Operation operation, Map<String, Long> at) {
    Cell left = evaluate(operation.left(), at);
    Cell right = evaluate(operation.right(), at);
    return switch (operation.operator()) {
      case ADD -> union(SemiringOperator.PLUS, left, right);
      case SUBTRACT -> union(SemiringOperator.PLUS, left, negated(right));
      case DIVIDE ->
          left.present()
              ? new Cell(
                  left.value() / right.value(), Math.abs(left.magnitude() / right.value()), true)
              : ABSENT;
      case MULTIPLY, ELEMENTWISE_MULTIPLY -> intersection(SemiringOperator.TIMES, left, right);
    };
  }

  private Cell call(Syntax.Call call, Map<String, Long> at) {
    List<Cell> a = call.arguments().stream().map(argument -> evaluate(argument, at)).toList();
    double x = a.get(0).value();
    double y = a.size() > 1 ? a.get(1).value() : 0;
    double magnitude = a.stream().mapToDouble(Cell::magnitude).sum();
    boolean present = a.stream().anyMatch(Cell::present);
    return switch (call.function()) {
      case "abs" -> new Cell(Math.abs(x), magnitude, present);
      case "sqrt" -> new Cell(Math.sqrt(x), Math.sqrt(magnitude), present);
      case "exp" -> new Cell(Math.exp(x), Math.exp(magnitude) * (1 + magnitude), true);
      case "log" -> new Cell(Math.log(x), Math.abs(Math.log(x)) + 1, true);
      case "min" -> new Cell(Math.min(x, y), magnitude, present);
      default -> new Cell(Math.max(x, y), magnitude, present);
    };
  }

  /** Free labels, in order of appearance. */
  private static List<String> labels(Syntax node, Set<String> bound) {
    List<String> found = new ArrayList<>();
    if (node instanceof Syntax.Access access) {
      access.labels().stream()
          .map(Syntax.Label::name)
          .filter(label -> !bound.contains(label))
          .forEach(found::add);
    }
    Set<String> inner = new HashSet<>(bound);
    if (node instanceof Syntax.Reduction reduction) {
      inner.add(reduction.label().name());
    } else if (node instanceof Syntax.Sum) {
      return found;
    }
    node.children().forEach(child -> found.addAll(labels(child, inner)));
    return found.stream().distinct().toList();
  }

  private static int uses(Syntax node, String label) {
    int uses = 0;
    if (node instanceof Syntax.Access access) {
      uses += access.labels().stream().anyMatch(l -> l.name().equals(label)) ? 1 : 0;
    } else if (node instanceof Syntax.Reduction reduction && reduction.label().name().equals(label)
        || node instanceof Syntax.Sum) {
      return 0;
    }
    for (Syntax child : node.children()) {
      uses += uses(child, label);
    }
    return uses;
  }
}
