package org.weft.compiler.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorMask;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.lang.Mask;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.level.LevelCapability;

/**
 * The iteration graph of a statement (Chou et al., section 4.1): its index variables and one tensor
 * path per access.
 *
 * <p>A level without random access must be reached through its ancestors, so the path demands an
 * edge from every variable above it. A level with random access demands nothing. Preferences,
 * followed where they contradict no demand or earlier one: a result that is appended is visited in
 * storage order (where it is not, its values go through a workspace that sorts them); variables
 * that only random-access levels use and no path leads on from (the rank of a decomposition) run
 * innermost, dense tensors are walked in storage order, a reduction inside an expression runs as
 * soon as all that its value depends on has a loop, result variables run before reduction
 * variables, and otherwise variables keep the order in which the statement mentions them.
 */
public final class IterationGraph {
  private static final List<String> MATRICES = List.of("CSR", "CSC", "DCSR", "DCSC");

  /**
   * {@code from} runs outside {@code to}, because of {@code access}; null for the schedule or the
   * mask.
   */
  public record Edge(IndexVar from, IndexVar to, TensorExpr.@Nullable Access access) {

    /** Whether {@code next} may have the loop inside those of {@code outer}. */
    private boolean isFollowed(IndexVar next, List<IndexVar> outer) {
      return !to.equals(next) || outer.contains(from);
    }
  }

  private final TensorAssignment assignment;
  private final List<IndexVar> variables;
  private final List<Edge> demands = new ArrayList<>();
  private final List<Edge> preferences = new ArrayList<>();
  private final Set<Edge> strategy = new LinkedHashSet<>();

  private IterationGraph(TensorAssignment assignment) {
    this.assignment = assignment;
    this.variables = List.copyOf(assignment.variables());
  }

  /**
   * The graph of {@code assignment}.
   *
   * @param loopOrder the order that some or all loops must have, outermost first; may be empty
   * @throws WeftException {@code INVALID_EXPRESSION} if {@code loopOrder} names no variable
   */
  public static IterationGraph of(TensorAssignment assignment, List<String> loopOrder) {
    IterationGraph graph = new IterationGraph(assignment);
    graph.preferAppendOrder(assignment.target());
    assignment.value().accesses().forEach(graph::demand);
    graph.demandBlocks();
    graph.schedule(loopOrder);
    if (assignment.mask() != null) {
      graph.demandStrategy(assignment.mask());
    }
    graph.prefer();
    return graph;
  }

  private void demand(TensorExpr.Access access) {
    for (int level = 1; level < access.variables().size(); level++) {
      if (!randomAccess(access.tensor().format(), level)) {
        for (int above = 0; above < level; above++) {
          add(demands, new Edge(access.variableAt(above), access.variableAt(level), access));
        }
      }
    }
  }

  /**
   * An appended result is visited in storage order down to its last appended level; the
   * random-access levels below that one fill the block of a coordinate.
   */
  private void preferAppendOrder(TensorExpr.Access target) {
    int last = target.variables().size() - 1;
    while (last >= 0 && randomAccess(target.tensor().format(), last)) {
      last--;
    }
    for (int level = 1; last >= 0 && level < target.variables().size(); level++) {
      for (int above = 0; above <= Math.min(level - 1, last); above++) {
        add(preferences, new Edge(target.variableAt(above), target.variableAt(level), target));
      }
    }
  }

  /** The offset in a block has a loop inside that of the block's number, which bounds it. */
  private void demandBlocks() {
    for (IndexVar variable : variables) {
      if (variable.isWithin()) {
        IndexVar block = IndexVar.block(variable.label(), variable.blockSize());
        demands.add(new Edge(block, variable, null));
      }
    }
  }

  /** The variables that a label has become: itself, or block number and offset. */
  private List<IndexVar> partsOf(String name) {
    List<IndexVar> parts =
        variables.stream().filter(v -> v.label().equals(new IndexVar(name))).toList();
    return parts.isEmpty() ? List.of(new IndexVar(name)) : parts;
  }

  /**
   * A pulling mask has its loops outside the reductions that depend on them; a pushing one has the
   * loop over its last sparse level inside the reductions. The second label of a diagonal has one
   * coordinate for each of the first and may run anywhere.
   */
  private void demandStrategy(TensorMask mask) {
    TensorExpr.Access access = mask.access();
    int last = access.variables().size() - 1;
    while (last >= 0 && randomAccess(access.tensor().format(), last)) {
      last--;
    }
    Map<IndexVar, Set<IndexVar>> reductions = reductions(assignment.value());
    Set<IndexVar> masked = new LinkedHashSet<>(assignment.value().reducedVariables());
    for (TensorExpr.Access operand : assignment.value().accesses()) {
      if (operand.tensor().kind() == TensorVar.Kind.DIAGONAL) {
        masked.remove(operand.variables().get(1));
      }
    }
    for (IndexVar reduced : masked) {
      if (mask.strategy() == Mask.Strategy.PULL) {
        access.variables().stream()
            .filter(reductions.getOrDefault(reduced, Set.of())::contains)
            .forEach(variable -> demandMask(variable, reduced));
      } else if (mask.strategy() == Mask.Strategy.PUSH && last >= 0) {
        demandMask(reduced, access.variableAt(last));
      }
    }
  }

  private void demandMask(IndexVar from, IndexVar to) {
    Edge edge = new Edge(from, to, null);
    demands.add(edge);
    strategy.add(edge);
  }

  private void schedule(List<String> loopOrder) {
    List<IndexVar> order = new ArrayList<>();
    List<IndexVar> parts = loopOrder.stream().flatMap(name -> partsOf(name).stream()).toList();
    for (IndexVar variable : parts) {
      String name = variable.name();
      if (!variables.contains(variable) || order.contains(variable)) {
        throw new WeftException(
            ErrorCode.INVALID_SCHEDULE,
            "order("
                + String.join(",", loopOrder)
                + ")"
                + " is illegal for "
                + assignment
                + ": "
                + name
                + (order.contains(variable) ? " comes twice" : " is not a label of the statement")
                + "; give labels out of "
                + variables.stream().map(IndexVar::name).collect(Collectors.joining(", "))
                + ", outermost first");
      }
      order.forEach(outer -> add(demands, new Edge(outer, variable, null)));
      order.add(variable);
    }
  }

  private void prefer() {
    List<TensorExpr.Access> accesses = new ArrayList<>(assignment.value().accesses());
    accesses.add(assignment.target());
    Set<IndexVar> sparse = new LinkedHashSet<>();
    for (TensorExpr.Access access : accesses) {
      for (int level = 0; level < access.variables().size(); level++) {
        if (!randomAccess(access.tensor().format(), level)) {
          sparse.add(access.variableAt(level));
        }
      }
    }
    for (IndexVar dense : variables) {
      boolean leads = sparse.stream().anyMatch(variable -> reaches(demands, dense, variable));
      if (!leads) {
        sparse.forEach(variable -> add(preferences, new Edge(variable, dense, null)));
      }
    }
    for (TensorExpr.Access access : accesses) {
      for (int level = 1; level < access.variables().size(); level++) {
        add(preferences, new Edge(access.variableAt(level - 1), access.variableAt(level), access));
      }
    }
  }

  /** A label that one access repeats needs no order with itself. */
  private static void add(List<Edge> edges, Edge edge) {
    if (!edge.from().equals(edge.to())) {
      edges.add(edge);
    }
  }

  private static boolean randomAccess(TensorFormat format, int level) {
    return format.level(level).properties().full()
        && format.level(level).format().capabilities().contains(LevelCapability.LOCATE);
  }

  public List<IndexVar> variables() {
    return variables;
  }

  /** The edges that every loop order respects. */
  public List<Edge> demands() {
    return List.copyOf(demands);
  }

  /**
   * A loop order, outermost first.
   *
   * @throws WeftException {@code INVALID_FORMAT} if the demands form a cycle; the message names the
   *     cycle and a mode order that breaks it
   */
  public List<IndexVar> loopOrder() {
    List<Edge> edges = new ArrayList<>(demands);
    List<Edge> cycle = cycle(edges);
    if (!cycle.isEmpty()) {
      throw new WeftException(ErrorCode.INVALID_FORMAT, explain(cycle));
    }
    for (Edge preference : preferences) {
      if (!reaches(edges, preference.to(), preference.from())) {
        edges.add(preference);
      }
    }
    List<IndexVar> candidates = new ArrayList<>(variables);
    candidates.sort(
        (a, b) -> Boolean.compare(assignment.isReduction(a), assignment.isReduction(b)));
    Map<IndexVar, Set<IndexVar>> reductions = reductions(assignment.value());
    List<IndexVar> order = new ArrayList<>();
    while (order.size() < variables.size()) {
      List<IndexVar> possible =
          candidates.stream()
              .filter(next -> !order.contains(next))
              .filter(next -> edges.stream().allMatch(e -> e.isFollowed(next, order)))
              .toList();
      order.add(
          possible.stream()
              .filter(next -> reductions.containsKey(next))
              .filter(next -> order.containsAll(reductions.get(next)))
              .findFirst()
              .orElse(possible.get(0)));
    }
    return order;
  }

  /** For every reduction, the variables that its value depends on. */
  private static Map<IndexVar, Set<IndexVar>> reductions(TensorExpr expr) {
    Map<IndexVar, Set<IndexVar>> reductions = new HashMap<>();
    TensorExpr body = expr;
    while (body instanceof TensorExpr.Reduce reduce) {
      reductions.put(reduce.variable(), expr.freeVariables());
      body = reduce.body();
    }
    body.children().forEach(child -> reductions.putAll(reductions(child)));
    return reductions;
  }

  private static boolean reaches(List<Edge> edges, IndexVar from, IndexVar to) {
    Set<IndexVar> seen = new LinkedHashSet<>(Set.of(from));
    boolean grew = true;
    while (grew && !seen.contains(to)) {
      grew = false;
      for (Edge edge : edges) {
        grew |= seen.contains(edge.from()) && seen.add(edge.to());
      }
    }
    return seen.contains(to);
  }

  /** The edges of one shortest cycle, or none. */
  private List<Edge> cycle(List<Edge> edges) {
    List<Edge> best = List.of();
    for (Edge start : edges) {
      List<Edge> path = shortestPath(edges, start.to(), start.from());
      if (path != null && (best.isEmpty() || path.size() + 1 < best.size())) {
        best = new ArrayList<>(List.of(start));
        best.addAll(path);
      }
    }
    return best;
  }

  private static @Nullable List<Edge> shortestPath(List<Edge> edges, IndexVar from, IndexVar to) {
    List<List<Edge>> paths = new ArrayList<>();
    Set<IndexVar> seen = new LinkedHashSet<>(Set.of(from));
    paths.add(List.of());
    for (int next = 0; next < paths.size(); next++) {
      List<Edge> path = paths.get(next);
      IndexVar end = path.isEmpty() ? from : path.get(path.size() - 1).to();
      if (end.equals(to)) {
        return path;
      }
      for (Edge edge : edges) {
        if (edge.from().equals(end) && seen.add(edge.to())) {
          List<Edge> longer = new ArrayList<>(path);
          longer.add(edge);
          paths.add(longer);
        }
      }
    }
    return null;
  }

  private String explain(List<Edge> cycle) {
    String names =
        cycle.stream().map(e -> e.from() + " -> ").collect(Collectors.joining())
            + cycle.get(0).from();
    String reasons = cycle.stream().map(this::reason).distinct().collect(Collectors.joining(", "));
    return "no loop order serves all operands of "
        + assignment
        + ": "
        + names
        + " is a cycle ("
        + reasons
        + "); "
        + remedy(cycle);
  }

  private String reason(Edge edge) {
    TensorExpr.Access access = edge.access();
    return access == null
        ? (strategy.contains(edge) ? "the strategy of the mask runs " : "the schedule runs ")
            + edge.from()
            + " outside "
            + edge.to()
        : access
            + " stored as "
            + access.tensor().format()
            + " needs "
            + edge.from()
            + " before "
            + edge.to();
  }

  /** A mode order of one tensor of the cycle that leaves the others consistent. */
  private String remedy(List<Edge> cycle) {
    for (int i = cycle.size() - 1; i >= 0; i--) {
      TensorExpr.Access access = cycle.get(i).access();
      if (access == null) {
        continue;
      }
      List<Edge> others =
          demands.stream()
              .filter(e -> e.access() == null || e.access().id() != access.id())
              .toList();
      TensorFormat other =
          cycle(others).isEmpty() ? reordered(access, modeOrderFor(access, others)) : null;
      if (other != null) {
        return "store " + access.tensor() + " as " + named(other) + " instead";
      }
    }
    return "drop the loop order of the schedule or the strategy of the mask, or transpose one of these tensors first";
  }

  /** The format of an operand with another mode order; null where its levels allow no other. */
  private static @Nullable TensorFormat reordered(TensorExpr.Access access, int[] modes) {
    try {
      return access.tensor().format().withModeOrder(modes);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** As {@code --format} takes it: the name of a matrix's format, or the levels and the order. */
  private static String named(TensorFormat format) {
    return MATRICES.stream()
        .filter(name -> format.order() == 2)
        .filter(name -> format.hasLevelsOf(TensorFormat.parse(name, 2, format.valueType())))
        .findFirst()
        .orElseGet(
            () ->
                format.levels().stream()
                        .map(level -> level.format().symbol())
                        .collect(Collectors.joining(", ", "{", "}@"))
                    + Arrays.stream(format.modeOrder())
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(",")));
  }

  private int[] modeOrderFor(TensorExpr.Access access, List<Edge> edges) {
    List<IndexVar> sorted = new ArrayList<>();
    List<IndexVar> rest = new ArrayList<>(access.variables());
    while (!rest.isEmpty()) {
      for (IndexVar next : rest) {
        if (rest.stream().noneMatch(o -> !o.equals(next) && reaches(edges, o, next))) {
          sorted.add(next);
          break;
        }
      }
      rest.remove(sorted.get(sorted.size() - 1));
    }
    List<Integer> modes = new ArrayList<>();
    for (IndexVar label : sorted) { // one that labels several modes names the next of them
      modes.add(
          IntStream.range(0, sorted.size())
              .filter(mode -> access.variables().get(mode).equals(label) && !modes.contains(mode))
              .findFirst()
              .orElseThrow());
    }
    return modes.stream().mapToInt(Integer::intValue).toArray();
  }

  /** One line per tensor path, then the loop order. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    List<TensorExpr.Access> accesses = new ArrayList<>(List.of(assignment.target()));
    accesses.addAll(assignment.value().accesses());
    for (TensorExpr.Access access : accesses) {
      List<String> path = new ArrayList<>();
      for (int level = 0; level < access.variables().size(); level++) {
        path.add(
            access.variableAt(level)
                + ":"
                + access.tensor().format().level(level).format().symbol());
      }
      text.append(access.tensor()).append(": ").append(String.join(" -> ", path)).append('\n');
    }
    return text.append("loops: ")
        .append(loopOrder().stream().map(IndexVar::name).collect(Collectors.joining(", ")))
        .append('\n')
        .toString();
  }
}
