package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/**
 * Compares a result with the {@link Oracle}: its arrays keep the invariants of the format; exactly
 * the coordinates are stored that the structure of the operands asks for, each once and in order;
 * every value is right. Values are compared exactly unless the statement has a function that rounds
 * or {@code float} sums that may not fit 24 bits.
 */
final class ResultCheck {
  private final Case subject;
  private final boolean padding;
  private final List<Axis> axes;
  private final Map<List<Integer>, Oracle.Cell> expected = new TreeMap<>(Structure::compare);
  private final Set<List<Integer>> structure;

  /**
   * @param padding see {@link Oracle}
   */
  ResultCheck(Case subject, boolean padding) {
    this.subject = subject;
    this.padding = padding;
    axes = subject.target().labels().stream().map(subject::axis).toList();
    Oracle oracle = new Oracle(subject, padding);
    Map<List<Integer>, Double> before = before();
    Set<List<Integer>> present = Structure.cellSet();
    for (List<Integer> cell : cells(axes)) {
      Oracle.Cell value = oracle.masked(cell);
      if (subject.accumulates()) {
        Double old = before.get(cell);
        double sign = subject.assignment().equals("-=") ? -1 : 1;
        value =
            new Oracle.Cell(
                (old == null ? 0 : old) + sign * value.value(),
                value.magnitude() + (old == null ? 0 : Math.abs(old)),
                value.present() || old != null);
      }
      expected.put(cell, value);
      if (value.present()) {
        present.add(cell);
      }
    }
    structure = Structure.of(subject.resultFormat(), axes, present);
  }

  private Map<List<Integer>, Double> before() {
    Map<List<Integer>, Double> before = new HashMap<>();
    if (subject.accumulates()) {
      for (Entry entry : subject.entries().getOrDefault(subject.target().tensor(), List.of())) {
        before.merge(entry.cell(), entry.value(), Double::sum);
      }
    }
    return before;
  }

  static List<List<Integer>> cells(List<Axis> axes) {
    List<List<Integer>> cells = new ArrayList<>(List.of(List.of()));
    for (Axis axis : axes) {
      List<List<Integer>> longer = new ArrayList<>(cells.size() * axis.cells());
      for (List<Integer> cell : cells) {
        for (int c = 0; c < axis.cells(); c++) {
          List<Integer> next = new ArrayList<>(cell);
          next.add(c);
          longer.add(List.copyOf(next));
        }
      }
      cells = longer;
    }
    return cells;
  }

  /** Whether some level of the exact result does not fit the widths of the result's format. */
  boolean overflows() {
    return overflows(false);
  }

  /** Whether it may not fit: a level that is not unique may have a position for every cell. */
  boolean mayOverflow() {
    return overflows(true);
  }

  private boolean overflows(boolean most) {
    TensorFormat format = subject.resultFormat();
    for (int level = 0; level < format.levelCount(); level++) {
      LevelSpec spec = format.level(level);
      int last = level;
      boolean single = spec.properties().unique() && format.branchlessBelow(level) == 0;
      boolean pos = List.of("CU", "CN").contains(spec.format().symbol());
      boolean crd = pos || spec.format().symbol().equals("S");
      int own = last + format.branchlessBelow(level);
      long positions =
          most && !single
              ? structure.size()
              : structure.stream().map(cell -> prefix(cell, format, own)).distinct().count();
      boolean fits =
          (!pos || positions <= spec.posWidth().maximum())
              && (!crd
                  || structure.stream()
                      .allMatch(cell -> actual(cell, format, last) <= spec.crdWidth().maximum()));
      if (!fits) {
        return true;
      }
    }
    return false;
  }

  private static List<Integer> prefix(List<Integer> cell, TensorFormat format, int last) {
    List<Integer> prefix = new ArrayList<>();
    for (int level = 0; level <= last; level++) {
      prefix.add(Structure.coordinate(format, level, cell));
    }
    return prefix;
  }

  private long actual(List<Integer> cell, TensorFormat format, int level) {
    int coordinate = Structure.coordinate(format, level, cell);
    boolean whole = format.coordinate(level) instanceof LevelCoordinate.Mode;
    return whole ? axes.get(format.modeOf(level)).coordinates().get(coordinate) : coordinate;
  }

  /**
   * As {@link #check}, of a result whose widths may be wider if those of the format are too narrow.
   */
  void checkWidened(TensorStorage result) {
    boolean widened = !result.format().equals(subject.resultFormat());
    require(!widened || mayOverflow(), "format " + result.format() + " where the given one fits");
    TensorFormat wide = subject.resultFormat().withWidths(Width.W64, Width.W64);
    require(
        result.format().withWidths(Width.W64, Width.W64).equals(wide), "format " + result.format());
    checkContents(result);
  }

  /** Throws an {@link AssertionError} that says what is wrong with {@code result}. */
  void check(TensorStorage result) {
    require(result.format().equals(subject.resultFormat()), "format " + result.format());
    checkContents(result);
  }

  private void checkContents(TensorStorage result) {
    String violation = ArrayCheck.violation(result);
    require(violation.isEmpty(), violation);
    List<Map<Long, Integer>> numbers = new ArrayList<>();
    for (Axis axis : axes) {
      Map<Long, Integer> number = new HashMap<>();
      axis.coordinates().forEach(c -> number.put(c, number.size()));
      numbers.add(number);
    }
    Set<List<Integer>> stored = Structure.cellSet();
    List<List<Integer>> order = new ArrayList<>();
    result.forEachEntry(
        (coordinates, value) -> {
          List<Integer> cell = new ArrayList<>();
          for (int mode = 0; mode < coordinates.length; mode++) {
            Integer number = numbers.get(mode).get(coordinates[mode]);
            require(number != null, "no operand has coordinate " + coordinates[mode]);
            cell.add(number);
          }
          Oracle.Cell wanted = expected.get(cell);
          require(same(value, wanted), "value at " + cell + ": " + value + ", expected " + wanted);
          require(stored.add(cell), "stored twice: " + cell);
          order.add(cell);
        });
    for (List<Integer> cell : structure) {
      require(stored.contains(cell), "missing: " + cell + " = " + expected.get(cell));
    }
    for (List<Integer> cell : stored) {
      boolean fills = !padding && subject.resultFormat().pads();
      require(
          structure.contains(cell)
              || fills && Objects.requireNonNull(expected.get(cell)).value() == 0,
          "stored without reason: " + cell);
    }
    requireOrder(order, result.format());
  }

  private static void requireOrder(List<List<Integer>> order, TensorFormat format) {
    boolean counted = format.levelCount() > 0 && format.coordinate(0).isCounted();
    if (counted || !format.levels().stream().allMatch(level -> level.properties().ordered())) {
      return;
    }
    int last = format.levelCount() - 1;
    for (int i = 1; i < order.size(); i++) {
      List<Integer> before = prefix(order.get(i - 1), format, last);
      require(
          Structure.compare(before, prefix(order.get(i), format, last)) < 0,
          order.get(i) + " is stored after " + order.get(i - 1));
    }
  }

  private boolean same(double value, Oracle.Cell wanted) {
    if (value == wanted.value() || Double.isNaN(value) && Double.isNaN(wanted.value())) {
      return true;
    }
    boolean single =
        subject.formats().values().stream().anyMatch(f -> f.valueType() == ValueType.FLOAT);
    if (!single && !rounds(subject.value())) {
      return false;
    }
    return Math.abs(value - wanted.value()) <= (single ? 1e-5 : 1e-12) * wanted.magnitude();
  }

  private static boolean rounds(Term term) {
    return term instanceof Term.Call call && !List.of("abs", "min", "max").contains(call.function())
        || term.children().stream().anyMatch(ResultCheck::rounds);
  }

  private static void require(boolean condition, String problem) {
    if (!condition) {
      throw new AssertionError(problem);
    }
  }
}
