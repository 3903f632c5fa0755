package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.graph.IterationGraph;
import org.weft.tensor.TensorFormat;

/**
 * Which operands of a statement to transpose so that one loop order serves all: those that are
 * cheap to convert give way to those that are not. The demands of the schedule and of the result
 * are kept, then those of the operands from the largest to the smallest as long as they form no
 * cycle; an operand whose demands would close one is stored in another mode order.
 */
final class OperandFormats {
  private final List<IterationGraph.Edge> kept = new ArrayList<>();
  private final Map<Integer, int[]> modeOrders = new LinkedHashMap<>();

  private OperandFormats() {}

  /**
   * The mode orders that break every cycle, by access id; empty when there is none.
   *
   * @param entries stored entries of an access's tensor
   */
  static Map<Integer, int[]> transpositions(
      TensorAssignment assignment,
      IterationGraph graph,
      ToDoubleFunction<TensorExpr.Access> entries) {
    OperandFormats formats = new OperandFormats();
    Map<Integer, List<IterationGraph.Edge>> byAccess = new HashMap<>();
    for (IterationGraph.Edge edge : graph.demands()) {
      TensorExpr.Access access = edge.access();
      if (access == null || access.id() == assignment.target().id()) {
        formats.kept.add(edge);
      } else {
        byAccess.computeIfAbsent(access.id(), id -> new ArrayList<>()).add(edge);
      }
    }
    List<TensorExpr.Access> accesses = new ArrayList<>(assignment.value().accesses());
    accesses.sort(Comparator.comparingDouble(entries).reversed());
    for (TensorExpr.Access access : accesses) {
      formats.place(access, byAccess.getOrDefault(access.id(), List.of()));
    }
    return formats.modeOrders;
  }

  private void place(TensorExpr.Access access, List<IterationGraph.Edge> demands) {
    for (IterationGraph.Edge edge : demands) {
      if (reaches(edge.to(), edge.from())) {
        modeOrders.put(access.id(), transposed(access));
        return;
      }
      kept.add(edge);
    }
  }

  /**
   * A mode order that agrees with the kept edges; it is kept from now on. The modes of a label that
   * the access repeats become neighbours.
   */
  private int[] transposed(TensorExpr.Access access) {
    kept.removeIf(edge -> edge.access() != null && edge.access().id() == access.id());
    int[] stored = access.tensor().format().modeOrder();
    Set<IndexVar> rest = new LinkedHashSet<>();
    for (int mode : stored) {
      rest.add(access.variables().get(mode));
    }
    List<IndexVar> sorted = new ArrayList<>();
    while (!rest.isEmpty()) {
      IndexVar next =
          rest.stream()
              .filter(v -> rest.stream().noneMatch(o -> !o.equals(v) && reaches(o, v)))
              .findFirst()
              .orElseGet(() -> rest.iterator().next());
      for (IndexVar above : sorted) {
        kept.add(new IterationGraph.Edge(above, next, access));
      }
      sorted.add(next);
      rest.remove(next);
    }
    return sorted.stream()
        .flatMapToInt(
            variable ->
                Arrays.stream(stored).filter(mode -> access.variables().get(mode).equals(variable)))
        .toArray();
  }

  private boolean reaches(IndexVar from, IndexVar to) {
    Set<IndexVar> seen = new HashSet<>(Set.of(from));
    boolean grew = true;
    while (grew && !seen.contains(to)) {
      grew = false;
      for (IterationGraph.Edge edge : kept) {
        grew |= seen.contains(edge.from()) && seen.add(edge.to());
      }
    }
    return seen.contains(to);
  }

  /** {@code format} with another mode order; the widths move with the modes. */
  static TensorFormat transposed(TensorFormat format, int[] modeOrder) {
    TensorFormat changed = format.withModeOrder(modeOrder);
    for (int level = 0; level < modeOrder.length; level++) {
      for (int old = 0; old < modeOrder.length; old++) {
        if (format.modeOf(old) == modeOrder[level]) {
          changed =
              changed.withLevelWidths(
                  level, format.level(level).posWidth(), format.level(old).crdWidth());
        }
      }
    }
    return changed;
  }
}
