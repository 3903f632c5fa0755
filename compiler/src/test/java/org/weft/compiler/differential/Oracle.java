package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Evaluates a case cell by cell from the definition of the language: every label runs over its
 * whole axis. An implicit sum stands around the smallest sub-term that has every use of its label.
 */
final class Oracle {
  /**
   * @param magnitude the value with all terms made positive: what rounding errors scale with
   * @param present whether a stored operand contributes
   */
  record Cell(double value, double magnitude, boolean present) {
    static final Cell ABSENT = new Cell(0, 0, false);
  }

  /** The values of one operand, row-major over its axes. */
  private record Operand(double[] values, boolean[] stored, int[] strides) {}

  private final Case subject;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final int[] at;
  private final int[] cells;
  private final Map<Term.Access, Operand> operands = new IdentityHashMap<>();
  private final Map<Term, List<String>> sums = new IdentityHashMap<>();

  Oracle(Case subject) {
    this.subject = subject;
    Set<String> labels = new LinkedHashSet<>(subject.axes().keySet());
    labels.forEach(label -> numbers.put(label, numbers.size()));
    at = new int[numbers.size()];
    cells = new int[numbers.size()];
    numbers.forEach((label, number) -> cells[number] = subject.axis(label).cells());
    subject.value().accesses().forEach(access -> operands.put(access, operand(access)));
    for (String label : subject.value().freeLabels()) {
      if (!subject.target().labels().contains(label)) {
        sums.computeIfAbsent(smallestUse(subject.value(), label), term -> new ArrayList<>())
            .add(label);
      }
    }
  }

  /** The smallest sub-term that contains every use of {@code label}. */
  static Term smallestUse(Term whole, String label) {
    Term smallest = whole;
    int all = uses(smallest, label);
    boolean inner = true;
    while (inner) {
      inner = false;
      for (Term child : smallest.children()) {
        if (uses(child, label) == all) {
          smallest = child;
          inner = true;
          break;
        }
      }
    }
    return smallest;
  }

  /** How many accesses use {@code label}, those under an explicit sum over it not counted. */
  private static int uses(Term term, String label) {
    if (term instanceof Term.Access access) {
      return access.labels().contains(label) ? 1 : 0;
    } else if (term instanceof Term.Sum sum && sum.label().equals(label)) {
      return 0;
    }
    return term.children().stream().mapToInt(child -> uses(child, label)).sum();
  }

  private Operand operand(Term.Access access) {
    List<Axis> axes = access.labels().stream().map(subject::axis).toList();
    int[] strides = new int[axes.size()];
    int length = 1;
    for (int mode = axes.size() - 1; mode >= 0; mode--) {
      strides[mode] = length;
      length *= axes.get(mode).cells();
    }
    double[] values = new double[length];
    boolean[] stored = new boolean[length];
    Set<List<Integer>> present = Structure.cellSet();
    for (Entry entry : subject.entries().getOrDefault(access.tensor(), List.of())) {
      values[offset(entry.cell(), strides)] += entry.value();
      present.add(entry.cell());
    }
    for (List<Integer> cell : Structure.of(subject.formats().get(access.tensor()), axes, present)) {
      stored[offset(cell, strides)] = true;
    }
    return new Operand(values, stored, strides);
  }

  private static int offset(List<Integer> cell, int[] strides) {
    int offset = 0;
    for (int mode = 0; mode < strides.length; mode++) {
      offset += cell.get(mode) * strides[mode];
    }
    return offset;
  }

  /** The value of the right side at a cell of the result. */
  Cell cell(List<Integer> cell) {
    for (int mode = 0; mode < cell.size(); mode++) {
      at[numbers.get(subject.target().labels().get(mode))] = cell.get(mode);
    }
    return evaluate(subject.value());
  }

  private Cell evaluate(Term term) {
    return sum(sums.getOrDefault(term, List.of()), 0, term);
  }

  private Cell sum(List<String> labels, int done, Term term) {
    if (done == labels.size()) {
      return node(term);
    }
    int label = numbers.get(labels.get(done));
    int before = at[label];
    Cell total = Cell.ABSENT;
    for (int c = 0; c < cells[label]; c++) {
      at[label] = c;
      total = add(total, sum(labels, done + 1, term));
    }
    at[label] = before;
    return total;
  }

  private static Cell add(Cell a, Cell b) {
    if (!b.present()) {
      return a;
    }
    return a.present() ? new Cell(a.value() + b.value(), a.magnitude() + b.magnitude(), true) : b;
  }

  private Cell node(Term term) {
    if (term instanceof Term.Number number) {
      return new Cell(number.value(), Math.abs(number.value()), true);
    } else if (term instanceof Term.Access access) {
      return access(access);
    } else if (term instanceof Term.Negate negate) {
      Cell operand = evaluate(negate.operand());
      return operand.present()
          ? new Cell(-operand.value(), operand.magnitude(), true)
          : Cell.ABSENT;
    } else if (term instanceof Term.Sum sum) {
      int label = numbers.get(sum.label());
      int before = at[label];
      Cell total = Cell.ABSENT;
      for (int c = 0; c < cells[label]; c++) {
        at[label] = c;
        total = add(total, evaluate(sum.body()));
      }
      at[label] = before;
      return total;
    } else if (term instanceof Term.Binary binary) {
      return binary(binary.operator(), evaluate(binary.left()), evaluate(binary.right()));
    }
    Term.Call call = (Term.Call) term;
    return call(call.function(), call.arguments().stream().map(this::evaluate).toList());
  }

  private Cell access(Term.Access access) {
    Operand operand = operands.get(access);
    int offset = 0;
    for (int mode = 0; mode < operand.strides.length; mode++) {
      offset += at[numbers.get(access.labels().get(mode))] * operand.strides[mode];
    }
    double value = operand.values[offset];
    return operand.stored[offset] ? new Cell(value, Math.abs(value), true) : Cell.ABSENT;
  }

  private static Cell binary(Term.Operator operator, Cell left, Cell right) {
    return switch (operator) {
      case ADD -> add(left, right);
      case SUBTRACT -> add(left, new Cell(-right.value(), right.magnitude(), right.present()));
      case MULTIPLY, ELEMENTWISE ->
          left.present() && right.present()
              ? new Cell(left.value() * right.value(), left.magnitude() * right.magnitude(), true)
              : Cell.ABSENT;
    };
  }

  private static Cell call(String function, List<Cell> arguments) {
    double x = arguments.get(0).value();
    double y = arguments.get(arguments.size() - 1).value();
    double magnitude = arguments.stream().mapToDouble(Cell::magnitude).sum();
    boolean present = arguments.stream().anyMatch(Cell::present);
    return switch (function) {
      case "abs" -> new Cell(Math.abs(x), magnitude, present);
      case "sqrt" -> new Cell(Math.sqrt(x), Math.sqrt(magnitude), present);
      case "exp" -> new Cell(Math.exp(x), Math.exp(magnitude) * (1 + magnitude), true);
      case "log" -> new Cell(Math.log(x), Math.abs(Math.log(x)) + 1, true);
      case "min" -> new Cell(Math.min(x, y), magnitude, present);
      case "max" -> new Cell(Math.max(x, y), magnitude, present);
      default -> throw new IllegalArgumentException(function);
    };
  }
}
