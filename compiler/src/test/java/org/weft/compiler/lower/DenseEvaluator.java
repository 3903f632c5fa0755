package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  private final Map<String, SampleTensor> operands;
  private final Map<String, Long> sizes;
  private final Map<Syntax, List<String>> sums = new IdentityHashMap<>();
  private final Map<String, Set<List<Long>>> stored = new HashMap<>();

  DenseEvaluator(Statement statement, Map<String, SampleTensor> operands, Map<String, Long> sizes) {
    this.operands = operands;
    this.sizes = sizes;
    operands.forEach(
        (name, tensor) ->
            stored.put(
                name,
                StoredStructure.of(tensor.format(), tensor.shape(), tensor.entries().keySet())));
    Set<String> result = new HashSet<>();
    statement.target().labels().forEach(label -> result.add(label.name()));
    for (String label : labels(statement.value(), new HashSet<>())) {
      if (!result.contains(label)) {
        Syntax at = statement.value();
        int all = uses(at, label);
        boolean inner = true;
        while (inner) {
          inner = false;
          for (Syntax child : at.children()) {
            if (uses(child, label) == all) {
              at = child;
              inner = true;
            }
          }
        }
        sums.computeIfAbsent(at, node -> new ArrayList<>()).add(label);
      }
    }
  }

  Cell evaluate(Syntax node, Map<String, Long> coordinates) {
    return sum(sums.getOrDefault(node, List.of()), node, coordinates);
  }

  private Cell sum(List<String> labels, Syntax node, Map<String, Long> coordinates) {
    if (labels.isEmpty()) {
      return node(node, coordinates);
    }
    String label = labels.get(0);
    double value = 0;
    double magnitude = 0;
    boolean present = false;
    for (long c = 0; c < sizes.get(label); c++) {
      Map<String, Long> inner = new HashMap<>(coordinates);
      inner.put(label, c);
      Cell term = sum(labels.subList(1, labels.size()), node, inner);
      value += term.value();
      magnitude += term.magnitude();
      present |= term.present();
    }
    return new Cell(value, magnitude, present);
  }

  private Cell node(Syntax node, Map<String, Long> at) {
    if (node instanceof Syntax.Number number) {
      double value = number.value().doubleValue();
      return new Cell(value, Math.abs(value), true);
    } else if (node instanceof Syntax.Access access) {
      List<Long> cell = access.labels().stream().map(label -> at.get(label.name())).toList();
      double value = operands.get(access.tensor()).value(cell);
      return new Cell(value, Math.abs(value), stored.get(access.tensor()).contains(cell));
    } else if (node instanceof Syntax.Negation negation) {
      Cell operand = evaluate(negation.operand(), at);
      return new Cell(-operand.value(), operand.magnitude(), operand.present());
    } else if (node instanceof Syntax.Reduction reduction) {
      return reduction(reduction, at);
    } else if (node instanceof Syntax.Operation operation) {
      return operation(operation, at);
    }
    return call((Syntax.Call) node, at);
  }

  private Cell reduction(Syntax.Reduction reduction, Map<String, Long> at) {
    double value = 0;
    double magnitude = 0;
    boolean present = false;
    String label = reduction.label().name();
    for (long c = 0; c < sizes.get(label); c++) {
      Map<String, Long> inner = new HashMap<>(at);
      inner.put(label, c);
      Cell term = evaluate(reduction.body(), inner);
      value += term.value();
      magnitude += term.magnitude();
      present |= term.present();
    }
    return new Cell(value, magnitude, present);
  }

  private Cell operation(Syntax.Operation operation, Map<String, Long> at) {
    Cell left = evaluate(operation.left(), at);
    Cell right = evaluate(operation.right(), at);
    double magnitude = left.magnitude() + right.magnitude();
    return switch (operation.operator()) {
      case ADD ->
          new Cell(left.value() + right.value(), magnitude, left.present() || right.present());
      case SUBTRACT ->
          new Cell(left.value() - right.value(), magnitude, left.present() || right.present());
      case DIVIDE ->
          new Cell(left.value() / right.value(), left.magnitude() / right.value(), left.present());
      case MULTIPLY, ELEMENTWISE_MULTIPLY ->
          new Cell(
              left.value() * right.value(),
              left.magnitude() * right.magnitude(),
              left.present() && right.present());
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
    }
    node.children().forEach(child -> found.addAll(labels(child, inner)));
    return found.stream().distinct().toList();
  }

  private static int uses(Syntax node, String label) {
    int uses = 0;
    if (node instanceof Syntax.Access access) {
      uses += access.labels().stream().anyMatch(l -> l.name().equals(label)) ? 1 : 0;
    } else if (node instanceof Syntax.Reduction reduction
        && reduction.label().name().equals(label)) {
      return 0;
    }
    for (Syntax child : node.children()) {
      uses += uses(child, label);
    }
    return uses;
  }
}
