package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.tensor.TensorFormat;

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

  /**
   * A reduction that stands around a term.
   *
   * @param around the term, the smallest with every use of the label, or the semiring product that
   *     has it inside
   */
  record Placed(String label, String add, Term around) {}

  private final Case subject;
  private final boolean padding;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final int[] at;
  private final int[] cells;
  private final Map<Term.Access, Operand> operands = new IdentityHashMap<>();
  private final Map<Term, List<Placed>> sums = new IdentityHashMap<>();

  /**
   * @param padding whether zeros that a format fills up with are entries, as they are to one kernel
   */
  Oracle(Case subject, boolean padding) {
    this.subject = subject.withValue(apart(subject.value()));
    this.padding = padding;
    Set<String> labels = new LinkedHashSet<>(subject.axes().keySet());
    labels.forEach(label -> numbers.put(label, numbers.size()));
    at = new int[numbers.size()];
    cells = new int[numbers.size()];
    numbers.forEach((label, number) -> cells[number] = subject.axis(label).cells());
    this.subject.accesses().forEach(access -> operands.put(access, operand(access)));
    Term value = this.subject.value();
    for (String label : value.freeLabels()) {
      if (!subject.target().labels().contains(label)) {
        place(placed(value, label));
      }
    }
    totals(value);
  }

  /** {@code term} where equal accesses are two objects, as a sum may stand around one of them. */
  private static Term apart(Term term) {
    return term instanceof Term.Access access
        ? new Term.Access(access.tensor(), access.labels())
        : term.map(Oracle::apart);
  }

  private void totals(Term term) {
    if (term instanceof Term.Total total) {
      total.body().freeLabels().forEach(label -> place(placed(total.body(), label)));
    }
    term.children().forEach(this::totals);
  }

  private void place(Placed placed) {
    sums.computeIfAbsent(placed.around(), term -> new ArrayList<>()).add(placed);
  }

  /**
   * Where the reduction of {@code label} stands in {@code whole}: around the smallest term with
   * every use, or, if that is an operand of a semiring product, around the product.
   */
  static Placed placed(Term whole, String label) {
    Term smallest = whole;
    Term.Semiring above = null;
    int all = uses(smallest, label);
    boolean inner = true;
    while (inner) {
      inner = false;
      for (Term child : smallest.children()) {
        if (uses(child, label) == all) {
          above =
              smallest instanceof Term.Semiring semiring
                  ? semiring
                  : smallest.children().size() == 1 ? above : null;
          smallest = child;
          inner = true;
          break;
        }
      }
    }
    if (smallest instanceof Term.Semiring semiring) {
      return new Placed(label, semiring.add(), smallest);
    }
    return above != null && smallest instanceof Term.Access
        ? new Placed(label, above.add(), above)
        : new Placed(label, "+", smallest);
  }

  /** How many accesses use {@code label}, those under a sum over it not counted. */
  private static int uses(Term term, String label) {
    if (term instanceof Term.Access access) {
      return access.labels().contains(label) ? 1 : 0;
    } else if (term instanceof Term.Sum sum && sum.label().equals(label)
        || term instanceof Term.Total) {
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
    TensorFormat format = subject.formats().get(access.tensor());
    for (List<Integer> cell : Structure.of(format, axes, present)) {
      int at = offset(cell, strides);
      stored[at] = padding || !format.pads() || values[at] != 0;
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

  /** The value of the right side at a cell of the result, if the mask has an entry there. */
  Cell masked(List<Integer> cell) {
    Cell value = cell(cell);
    return subject.mask().isEmpty() || access(subject.mask().get().tensor()).present()
        ? value
        : Cell.ABSENT;
  }

  /** The value of the right side at a cell of the result, if the target addresses it. */
  private Cell cell(List<Integer> cell) {
    List<String> labels = subject.target().labels();
    for (int mode = 0; mode < cell.size(); mode++) {
      at[numbers.get(labels.get(mode))] = cell.get(mode);
    }
    for (int mode = 0; mode < cell.size(); mode++) {
      if (at[numbers.get(labels.get(mode))] != cell.get(mode)) {
        return Cell.ABSENT;
      }
    }
    return evaluate(subject.value());
  }

  private Cell evaluate(Term term) {
    return sum(sums.getOrDefault(term, List.of()), 0, term);
  }

  private Cell sum(List<Placed> labels, int done, Term term) {
    if (done == labels.size()) {
      return node(term);
    }
    Placed placed = labels.get(done);
    int label = numbers.get(placed.label());
    int before = at[label];
    Cell total = Cell.ABSENT;
    for (int c = 0; c < cells[label]; c++) {
      at[label] = c;
      Cell next = sum(labels, done + 1, term);
      total = union(placed.add(), total, placed.add().equals("or") ? truth(next) : next);
    }
    at[label] = before;
    return total;
  }

  /** Combines what is present. */
  private static Cell union(String operator, Cell a, Cell b) {
    if (!a.present() || !b.present()) {
      return a.present() ? a : b;
    }
    return new Cell(number(operator, a.value(), b.value()), a.magnitude() + b.magnitude(), true);
  }

  /** Where both are present. */
  private static Cell intersection(String operator, Cell a, Cell b) {
    boolean product = operator.equals("*");
    return a.present() && b.present()
        ? new Cell(
            number(operator, a.value(), b.value()),
            product ? a.magnitude() * b.magnitude() : a.magnitude() + b.magnitude(),
            true)
        : Cell.ABSENT;
  }

  private static double number(String operator, double a, double b) {
    return switch (operator) {
      case "+" -> a + b;
      case "-" -> a - b;
      case "*" -> a * b;
      case "/" -> a / b;
      case "min" -> Math.min(a, b);
      case "max" -> Math.max(a, b);
      case "any", "first" -> a;
      case "second" -> b;
      case "pair" -> 1;
      case "or" -> a != 0 || b != 0 ? 1 : 0;
      case "and" -> a != 0 && b != 0 ? 1 : 0;
      default -> throw new IllegalArgumentException(operator);
    };
  }

  private static Cell truth(Cell cell) {
    return cell.present() ? new Cell(cell.value() != 0 ? 1 : 0, 1, true) : cell;
  }

  private static Cell negated(Cell cell) {
    return cell.present() ? new Cell(-cell.value(), cell.magnitude(), true) : cell;
  }

  private Cell node(Term term) {
    if (term instanceof Term.Number number) {
      return new Cell(number.value(), Math.abs(number.value()), true);
    } else if (term instanceof Term.Access access) {
      return access(access);
    } else if (term instanceof Term.Negate negate) {
      return negated(evaluate(negate.operand()));
    } else if (term instanceof Term.Sum sum) {
      int label = numbers.get(sum.label());
      int before = at[label];
      Cell total = Cell.ABSENT;
      for (int c = 0; c < cells[label]; c++) {
        at[label] = c;
        total = union("+", total, evaluate(sum.body()));
      }
      at[label] = before;
      return total;
    } else if (term instanceof Term.Binary binary) {
      return binary(binary.operator(), evaluate(binary.left()), evaluate(binary.right()));
    } else if (term instanceof Term.Semiring semiring) {
      return intersection(
          semiring.multiply(), evaluate(semiring.left()), evaluate(semiring.right()));
    } else if (term instanceof Term.Monoid monoid) {
      return monoid(monoid);
    } else if (term instanceof Term.Transpose transpose) {
      return evaluate(transpose.operand());
    } else if (term instanceof Term.Total total) {
      return total(total);
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

  /** The labels inside a total hide those of the same name outside. */
  private Cell total(Term.Total total) {
    int[] before = at.clone();
    Cell value = evaluate(total.body());
    System.arraycopy(before, 0, at, 0, before.length);
    return value.present() ? value : new Cell(0, 0, false);
  }

  /** COMET's rule: into a sparse result, a full and a sparse operand meet. */
  private Cell monoid(Term.Monoid monoid) {
    Cell left = evaluate(monoid.left());
    Cell right = evaluate(monoid.right());
    if (meet(monoid) || monoid.operator().equals("*")) {
      return intersection(monoid.operator(), left, right);
    }
    return monoid.operator().equals("-")
        ? union("+", left, negated(right))
        : union(monoid.operator(), left, right);
  }

  /** Whether the term has a value everywhere, whatever the operands hold. */
  private boolean isFull(Term term) {
    if (term instanceof Term.Access access) {
      return subject.formats().get(access.tensor()).isDense();
    } else if (term instanceof Term.Call call && List.of("exp", "log").contains(call.function())) {
      return true;
    }
    boolean any =
        term instanceof Term.Call call && call.arguments().size() == 2
            || term instanceof Term.Binary binary
                && List.of(Term.Operator.ADD, Term.Operator.SUBTRACT).contains(binary.operator())
            || term instanceof Term.Monoid monoid
                && !monoid.operator().equals("*")
                && !meet(monoid);
    return any
        ? term.children().stream().anyMatch(this::isFull)
        : term.children().stream().allMatch(this::isFull);
  }

  private boolean meet(Term.Monoid monoid) {
    return !subject.resultFormat().isDense() && isFull(monoid.left()) != isFull(monoid.right());
  }

  private static Cell binary(Term.Operator operator, Cell left, Cell right) {
    return switch (operator) {
      case ADD -> union("+", left, right);
      case SUBTRACT -> union("+", left, negated(right));
      case MULTIPLY, ELEMENTWISE -> intersection("*", left, right);
      case DIVIDE ->
          left.present()
              ? new Cell(left.value() / right.value(), left.magnitude() + right.magnitude(), true)
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
