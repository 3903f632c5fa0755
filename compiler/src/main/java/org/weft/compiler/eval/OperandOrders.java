package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorMask;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.graph.IterationGraph;
import org.weft.compiler.lang.Mask;
import org.weft.compiler.lower.Lowering;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;

/**
 * Mode orders of the sparse operands of a statement for which its loops take far fewer iterations
 * than for those in which they are stored. {@code C(i,k) = A(i,j) * B(k,j)} of two CSR matrices
 * compares all pairs of rows; with {@code B} by columns, it takes what meets. A mask without a
 * strategy pushes or pulls, whichever takes fewer iterations.
 */
final class OperandOrders {
  /** How many times as many iterations the loops have to take as the operands are stored. */
  private static final double ADVANTAGE = 2;

  /** In iterations: some 10 ms, about what it takes to compile a conversion. */
  private static final double LEAST_SAVING = 1e7;

  /** Most orders of two operands together that are tried at a time: each is costed by itself. */
  private static final int MOST_OF_TWO = 100;

  private final boolean eager;
  private final TensorAssignment assignment;
  private final List<String> loopOrder;
  private final Estimates estimates;
  private final Map<String, Double> entries;
  private final double values;
  private final Map<Integer, int[]> chosen = new HashMap<>();

  private OperandOrders(
      TensorAssignment assignment,
      List<String> loopOrder,
      LabelSizes labels,
      Map<String, Double> entries,
      Function<String, Optional<ModeCounts>> counts,
      boolean eager) {
    this.eager = eager;
    this.assignment = assignment;
    this.loopOrder = loopOrder;
    this.estimates =
        assignment.mask() == null
            ? new Estimates(labels, entries)
            : new Estimates(labels, entries, counts);
    this.entries = entries;
    this.values = ResultFormats.entries(assignment, labels, entries);
  }

  /**
   * Mode orders by the access's id.
   *
   * @param assignment with a mask that pushes or pulls, if it has one
   * @param stored iterations expected as the operands are stored, or with the fewest transpositions
   * @param iterations expected in these orders, conversions included
   */
  record Choice(
      TensorAssignment assignment,
      Map<Integer, int[]> modeOrders,
      double stored,
      double iterations) {}

  /**
   * {@code assignment} with a mask that pushes or pulls, if it has one, as its operands are stored.
   *
   * @param loopOrder the order that some or all loops have, outermost first; may be empty
   * @param counts of an operand by name, asked for where there is a mask: whether to push or to
   *     pull depends on how often long slices meet
   */
  static TensorAssignment settled(
      TensorAssignment assignment,
      List<String> loopOrder,
      LabelSizes labels,
      Map<String, Double> entries,
      Function<String, Optional<ModeCounts>> counts) {
    TensorAssignment best = assignment;
    double least = Double.POSITIVE_INFINITY;
    List<TensorAssignment> ways = strategies(assignment);
    for (TensorAssignment way : ways) {
      double stored =
          ways.size() == 1
              ? 0
              : new OperandOrders(way, loopOrder, labels, entries, counts, false).stored();
      if (stored < least || best == assignment) {
        least = stored;
        best = way;
      }
    }
    return best;
  }

  private static List<TensorAssignment> strategies(TensorAssignment assignment) {
    TensorMask mask = assignment.mask();
    return mask == null || mask.strategy() != Mask.Strategy.AUTO
        ? List.of(assignment)
        : List.of(
            assignment.withMask(mask.withStrategy(Mask.Strategy.PULL)),
            assignment.withMask(mask.withStrategy(Mask.Strategy.PUSH)));
  }

  /**
   * Better orders, if there are any. Where no loops can run as the operands are stored, they are
   * better than the cheapest transpositions with which loops can.
   *
   * @param eager whether they are better if they save anything
   */
  static Optional<Choice> of(
      TensorAssignment assignment,
      LabelSizes labels,
      Map<String, Double> entries,
      Function<String, Optional<ModeCounts>> counts,
      boolean eager) {
    List<Choice> choices =
        strategies(assignment).stream()
            .map(way -> new OperandOrders(way, List.of(), labels, entries, counts, eager).search())
            .toList();
    Choice best = Collections.min(choices, Comparator.comparingDouble(Choice::iterations));
    double stored = choices.stream().mapToDouble(Choice::stored).min().orElseThrow();
    double needed = best.iterations() * (eager ? 1 : ADVANTAGE) + (eager ? 0 : LEAST_SAVING);
    return needed < stored && !best.modeOrders().isEmpty()
        ? Optional.of(new Choice(best.assignment(), best.modeOrders(), stored, best.iterations()))
        : Optional.empty();
  }

  /** The iterations as the operands are stored; {@link #chosen} has transpositions they need. */
  private double stored() {
    double stored = iterations(chosen);
    if (stored == Double.POSITIVE_INFINITY && Conversions.isOrdinary(assignment)) {
      chosen.putAll(
          OperandFormats.transpositions(
              assignment,
              IterationGraph.of(assignment, loopOrder),
              access -> entries.getOrDefault(access.tensor().name(), Double.MAX_VALUE)));
      stored = iterations(chosen);
    }
    return stored;
  }

  private Choice search() {
    double stored = stored();
    double least = stored;
    double saving = eager ? 0 : LEAST_SAVING;
    boolean improves = stored > saving && stored < Double.POSITIVE_INFINITY;
    while (improves) {
      double before = least;
      least = take(moves(), least);
      if (least == before) {
        least = take(movesOfTwo(), least);
      }
      improves = least < before;
    }
    return new Choice(assignment, chosen, stored, least);
  }

  /** Chooses the orders with the fewest iterations, if they are fewer; returns these. */
  private double take(List<Map<Integer, int[]>> moves, double fewer) {
    double least = fewer;
    Map<Integer, int[]> best = chosen;
    for (Map<Integer, int[]> trial : moves) {
      double iterations = iterations(trial);
      if (iterations < least) {
        least = iterations;
        best = trial;
      }
    }
    Map<Integer, int[]> taken = Map.copyOf(best);
    chosen.clear();
    chosen.putAll(taken);
    return least;
  }

  private List<TensorExpr.Access> movable() {
    return assignment.value().accesses().stream()
        .distinct()
        .filter(access -> !access.tensor().format().isDense())
        .filter(access -> Conversions.isPlain(access.tensor().format()))
        .toList();
  }

  /**
   * What is chosen with one operand in any other order, or one label of all operands further in
   * front. Operands of many modes get one mode further in front.
   */
  private List<Map<Integer, int[]>> moves() {
    List<TensorExpr.Access> movable = movable();
    List<Map<Integer, int[]>> moves = new ArrayList<>();
    Set<List<IndexVar>> pairs = new LinkedHashSet<>();
    for (TensorExpr.Access access : movable) {
      int[] order = order(access);
      others(order).forEach(other -> moves.add(with(Map.of(access, other))));
      for (int from = 1; from < order.length; from++) {
        for (int to = 0; to < from; to++) {
          pairs.add(
              List.of(access.variables().get(order[from]), access.variables().get(order[to])));
        }
      }
    }
    for (List<IndexVar> pair : pairs) {
      Map<TensorExpr.Access, int[]> all = new HashMap<>();
      for (TensorExpr.Access access : movable) {
        List<IndexVar> labels =
            Arrays.stream(order(access)).mapToObj(access.variables()::get).toList();
        int from = labels.indexOf(pair.get(0));
        int to = labels.indexOf(pair.get(1));
        if (from > to && to >= 0) {
          all.put(access, moved(order(access), from, to));
        }
      }
      if (all.size() > 1) {
        moves.add(with(all));
      }
    }
    return moves;
  }

  /** What is chosen with two operands in other orders, where these are not many. */
  private List<Map<Integer, int[]>> movesOfTwo() {
    List<TensorExpr.Access> movable = movable();
    List<Map<Integer, int[]>> moves = new ArrayList<>();
    for (int one = 0; one < movable.size(); one++) {
      for (int two = 0; two < one; two++) {
        List<int[]> seconds = others(order(movable.get(two)));
        for (int[] other : others(order(movable.get(one)))) {
          if (moves.size() + seconds.size() > MOST_OF_TWO) {
            return List.of();
          }
          for (int[] second : seconds) {
            moves.add(with(Map.of(movable.get(one), other, movable.get(two), second)));
          }
        }
      }
    }
    return moves;
  }

  /** All other orders of up to three modes; of more modes, those with one mode further in front. */
  private static List<int[]> others(int[] order) {
    List<int[]> others = new ArrayList<>();
    for (int from = 1; from < order.length; from++) {
      for (int to = 0; to < from; to++) {
        others.add(moved(order, from, to));
      }
    }
    if (order.length == 3) {
      others.add(moved(moved(order, 1, 0), 2, 1));
      others.add(moved(moved(order, 2, 0), 2, 1));
    }
    return others;
  }

  private int[] order(TensorExpr.Access access) {
    return chosen.getOrDefault(access.id(), access.tensor().format().modeOrder());
  }

  private Map<Integer, int[]> with(Map<TensorExpr.Access, int[]> changed) {
    Map<Integer, int[]> trial = new HashMap<>(chosen);
    changed.forEach(
        (access, order) -> {
          trial.put(access.id(), order);
          if (Arrays.equals(order, access.tensor().format().modeOrder())) {
            trial.remove(access.id());
          }
        });
    return trial;
  }

  private static int[] moved(int[] order, int from, int to) {
    List<Integer> modes = new ArrayList<>(Arrays.stream(order).boxed().toList());
    modes.add(to, modes.remove(from));
    return modes.stream().mapToInt(mode -> mode).toArray();
  }

  private double iterations(Map<Integer, int[]> modeOrders) {
    double conversions = 0;
    for (TensorExpr.Access access : assignment.value().accesses()) {
      if (modeOrders.containsKey(access.id())) {
        conversions += entries.getOrDefault(access.tensor().name(), 0.0);
      }
    }
    TensorAssignment trial =
        Conversions.convertOperands(
            assignment,
            access -> {
              int[] order = modeOrders.get(access.id());
              return order == null ? access : stored(access, order);
            });
    try {
      TensorAssignment apart = Lowering.apart(trial);
      List<IndexVar> order = IterationGraph.of(apart, loopOrder).loopOrder();
      double sorted = isAppended(order) ? 0 : values;
      return new NestCost(estimates, true).of(apart, order)
          + (eager ? 0 : (conversions + sorted) * NestCost.ITERATIONS_PER_ENTRY);
    } catch (WeftException cyclic) {
      return Double.POSITIVE_INFINITY;
    }
  }

  /**
   * Whether the result comes in the order in which it is stored, its last label perhaps in any
   * order and many times, and the result as a whole needs no sorting.
   */
  private boolean isAppended(List<IndexVar> order) {
    TensorExpr.Access target = assignment.target();
    int before = -1;
    int last = target.variables().size() - 1;
    for (int level = 0; level <= last; level++) {
      int at = order.indexOf(target.variableAt(level));
      if (at < before || level < last && !target.variables().containsAll(order.subList(0, at))) {
        return target.tensor().format().isInsertable();
      }
      before = at;
    }
    return true;
  }

  private static TensorExpr.Access stored(TensorExpr.Access access, int[] order) {
    TensorVar tensor = access.tensor();
    TensorFormat format = OperandFormats.transposed(tensor.format(), order);
    TensorVar moved = new TensorVar(tensor.name(), format, tensor.kind());
    return access.of(moved);
  }
}
