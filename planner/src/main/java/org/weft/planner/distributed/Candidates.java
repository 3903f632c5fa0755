package org.weft.planner.distributed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.eval.StatementAlgebra;
import org.weft.planner.machine.MachineConstant;
import org.weft.planner.machine.MachineParameters;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;

/**
 * The ways to run a statement, with predictions: along every label that {@link Division} allows,
 * with every way for operands that do not have the label; the cheapest grid along several labels;
 * and undivided.
 */
final class Candidates {
  private static final long COORDINATE_BYTES = 4;
  private static final long VALUE_BYTES = 8;

  /** Axes of a grid: grids along more labels move little less and are many. */
  private static final int MOST_AXES = 3;

  private final MachineParameters machine;
  private final SlottedRequest request;
  private final StatementAlgebra algebra;
  private final Map<String, TensorExpr.Access> accesses = new LinkedHashMap<>();
  private final List<DividedLabel> labels;
  private final Map<List<Object>, Ranges> lengths = new HashMap<>();
  private final double products;

  /** A label that the statement may be divided along, with the reducer of the merge, if any. */
  private record DividedLabel(IndexVar label, Optional<Operator> reducer) {
    /** Whether parts along both labels can be merged, if they need to be. */
    boolean goesWith(DividedLabel other) {
      return reducer.isEmpty() || other.reducer.isEmpty() || reducer.equals(other.reducer);
    }
  }

  Candidates(MachineParameters machine, SlottedRequest request) {
    this.machine = machine;
    this.request = request;
    this.algebra = request.algebra();
    algebra.assignment().value().accesses().forEach(a -> accesses.put(a.tensor().name(), a));
    this.labels = algebra.assignment().variables().stream().flatMap(this::divided).toList();
    this.products = Products.count(algebra, algebra.assignment().value());
  }

  /** All of them, none of which need fit the memory. */
  List<Candidate> all() {
    List<Candidate> candidates = new ArrayList<>();
    for (DividedLabel divided : labels) {
      if (isAskedFor(List.of(divided))) {
        Ranges ranges = equalEntries(divided.label(), request.parts());
        LabelGrid grid = LabelGrid.along(divided.label().name(), ranges);
        for (boolean need : new boolean[] {false, true}) {
          candidate(grid, divided.reducer(), need).ifPresent(candidates::add);
        }
      }
    }
    if (isAskedFor(List.of())) {
      LabelGrid undivided = LabelGrid.undivided();
      candidates.add(priced(undivided, Optional.empty(), routes(undivided)));
    }
    if (!request.asked().exchange().equals(Optional.of(Route.ByNeed.class))) {
      grids(new ArrayList<>(), 0)
          .min(request.best())
          .map(this::withEqualEntries)
          .ifPresent(candidates::add);
    }
    return candidates;
  }

  private boolean isAskedFor(List<DividedLabel> along) {
    String only = request.asked().only();
    Set<String> names = only.equals("-") ? Set.of() : Set.of(only.split(","));
    return only.isEmpty()
        || names.equals(along.stream().map(d -> d.label().name()).collect(Collectors.toSet()));
  }

  private Stream<DividedLabel> divided(IndexVar label) {
    Long size = algebra.sizes().get(label.name());
    if (size == null || size < 1) {
      return Stream.empty();
    }
    TensorAssignment statement = algebra.assignment();
    boolean kept = statement.target().variables().contains(label);
    Optional<Operator> reducer = kept ? Optional.empty() : Division.reducer(statement, label);
    // A value before the statement is added to, whatever the reducer is.
    boolean added =
        statement.target().variables().isEmpty() || request.asked().previous().isPresent();
    return kept || reducer.isPresent() && (!added || reducer.get() == Operator.PLUS)
        ? Stream.of(new DividedLabel(label, reducer))
        : Stream.empty();
  }

  /** Grids along {@code chosen} and labels from number {@code next} on, two or three altogether. */
  private Stream<Candidate> grids(List<DividedLabel> chosen, int next) {
    Stream<Candidate> here = Stream.empty();
    if (chosen.size() > 1 && isAskedFor(chosen)) {
      Optional<Operator> reducer =
          chosen.stream().flatMap(divided -> divided.reducer().stream()).findFirst();
      List<DividedLabel> along = List.copyOf(chosen);
      here =
          factors(gridParts(), along.size())
              .map(counts -> grid(along, counts))
              .map(grid -> priced(grid, reducer, routes(grid)));
    }
    if (chosen.size() == MOST_AXES) {
      return here;
    }
    Stream<Candidate> more = Stream.empty();
    for (int at = next; at < labels.size(); at++) {
      DividedLabel added = labels.get(at);
      if (chosen.stream().allMatch(added::goesWith)) {
        List<DividedLabel> longer = new ArrayList<>(chosen);
        longer.add(added);
        more = Stream.concat(more, grids(longer, at + 1));
      }
    }
    return Stream.concat(here, more);
  }

  /** As many parts as are asked for, or one fewer if that is a prime number. */
  private int gridParts() {
    int parts = request.parts();
    return IntStream.range(2, parts).anyMatch(factor -> parts % factor == 0) ? parts : parts - 1;
  }

  /** All ways to write {@code parts} as a product of {@code count} numbers above 1. */
  private static Stream<List<Integer>> factors(int parts, int count) {
    if (count == 1) {
      return parts > 1 ? Stream.of(List.of(parts)) : Stream.empty();
    }
    return IntStream.rangeClosed(2, parts / 2)
        .filter(first -> parts % first == 0)
        .boxed()
        .flatMap(
            first ->
                factors(parts / first, count - 1)
                    .map(
                        rest -> {
                          List<Integer> all = new ArrayList<>(List.of(first));
                          all.addAll(rest);
                          return all;
                        }));
  }

  /** Ranges of equal length: prices depend on numbers of ranges only, and there are many grids. */
  private LabelGrid grid(List<DividedLabel> along, List<Integer> counts) {
    List<LabelGrid.Axis> axes = new ArrayList<>();
    for (int axis = 0; axis < along.size(); axis++) {
      String label = along.get(axis).label().name();
      long size = Objects.requireNonNull(algebra.sizes().get(label));
      Ranges cut =
          lengths.computeIfAbsent(
              List.of(size, counts.get(axis)), key -> Ranges.equal(size, (int) key.get(1)));
      axes.add(new LabelGrid.Axis(label, cut));
    }
    return new LabelGrid(axes);
  }

  private Candidate withEqualEntries(Candidate chosen) {
    List<LabelGrid.Axis> axes =
        chosen.grid().axes().stream()
            .map(
                axis ->
                    new LabelGrid.Axis(
                        axis.label(),
                        equalEntries(new IndexVar(axis.label()), axis.ranges().parts())))
            .toList();
    LabelGrid grid = new LabelGrid(axes);
    return priced(grid, chosen.reducer(), routes(grid));
  }

  private Ranges equalEntries(IndexVar label, int parts) {
    long size = Objects.requireNonNull(algebra.sizes().get(label.name()));
    List<ModeHistogram> histograms = new ArrayList<>();
    for (TensorExpr.Access access : algebra.assignment().value().accesses()) {
      int mode = access.variables().indexOf(label);
      TensorStatistics known = request.statistics(access.tensor().name());
      if (mode >= 0 && !access.tensor().format().isDense()) {
        histograms.add(known.histogram(mode));
      }
    }
    return histograms.isEmpty()
        ? Ranges.equal(size, parts)
        : Ranges.ofEqualEntries(size, histograms, parts);
  }

  /** Every operand by ranges of the labels that it has. */
  private Map<String, Route> routes(LabelGrid grid) {
    Map<String, Route> routes = new LinkedHashMap<>();
    accesses.forEach(
        (slot, access) ->
            routes.put(
                slot, new Route.ByRanges(grid.modes(StatementCompiler.names(access.variables())))));
    return routes;
  }

  private Optional<Candidate> candidate(LabelGrid grid, Optional<Operator> reducer, boolean need) {
    Map<String, Route> routes = routes(grid);
    List<String> without =
        accesses.keySet().stream().filter(slot -> isEverywhere(routes.get(slot))).toList();
    boolean asks = false;
    for (String slot : without) {
      Optional<Route.ByNeed> needed = need ? byNeed(routes, slot) : Optional.empty();
      asks |= needed.isPresent();
      needed.ifPresent(route -> routes.put(slot, route));
    }
    Optional<Class<? extends Route>> forced = request.asked().exchange();
    boolean refused =
        need != asks
            || forced.isPresent()
                && (forced.get() == Route.ByNeed.class) != asks
                && !without.isEmpty();
    return refused ? Optional.empty() : Optional.of(priced(grid, reducer, routes));
  }

  private static boolean isEverywhere(@Nullable Route route) {
    return route instanceof Route.ByRanges cut && cut.isEverywhere();
  }

  /** The mode of {@code slot} by which a cut operand that it is multiplied with can ask for it. */
  private Optional<Route.ByNeed> byNeed(Map<String, Route> routes, String slot) {
    TensorExpr value = algebra.assignment().value();
    List<IndexVar> own = Objects.requireNonNull(accesses.get(slot)).variables();
    for (Map.Entry<String, TensorExpr.Access> other : accesses.entrySet()) {
      TensorExpr.Access asking = other.getValue();
      Route route = routes.get(other.getKey());
      if (!(route instanceof Route.ByRanges)
          || isEverywhere(route)
          || asking.tensor().format().isDense()
          || !Division.isNeededOnlyWith(value, slot, other.getKey())) {
        continue;
      }
      for (int mode = 0; mode < own.size(); mode++) {
        int there = asking.variables().indexOf(own.get(mode));
        if (there >= 0) {
          long size = Objects.requireNonNull(algebra.sizes().get(own.get(mode).name()));
          return Optional.of(new Route.ByNeed(mode, other.getKey(), there, size));
        }
      }
    }
    return Optional.empty();
  }

  private Candidate priced(LabelGrid grid, Optional<Operator> reducer, Map<String, Route> routes) {
    int parts = grid.parts();
    double slots = request.resources().slots();
    double network = machine.shuffledBytesPerSecond() * Math.min(slots, parts);
    Map<String, Costs> exchanges = new LinkedHashMap<>();
    double arrived = 0;
    double entries = 0;
    for (Map.Entry<String, Route> route : routes.entrySet()) {
      double whole = bytes(request.statistics(route.getKey()));
      double moved = moved(route.getKey(), route.getValue(), grid, whole);
      boolean asks = route.getValue() instanceof Route.ByNeed;
      arrived += asks ? moved - whole : moved;
      entries += moved / Math.max(1, entryBytes(request.statistics(route.getKey())));
      double steps = (asks ? 3 : 1) * request.resources().stepSeconds(machine);
      exchanges.put(route.getKey(), new Costs(moved, 0, 0, moved / network + steps));
    }
    List<String> target = StatementCompiler.names(algebra.assignment().target().variables());
    List<List<Integer>> resultModes = grid.modes(target);
    int order = target.size();
    double made = algebra.resultEntries();
    double here = Products.madeByPart(algebra, products, parts, parts / grid.copies(resultModes));
    double used = Math.min(parts, slots);
    double flops = 2 * products + made;
    Costs kernel =
        new Costs(
            0,
            arrived / parts + here * entryBytes(order),
            flops,
            // An entry that is handed on costs about what one costs that is packed.
            (entries + parts * here) / machine.packedEntriesPerSecond() / used
                + flops / machine.flopsPerSecond() / used
                + Math.ceil(parts / used) * machine.get(MachineConstant.CALL));
    if (reducer.isEmpty() && request.asked().previous().isEmpty()) {
      Optional<Costs> arranging =
          DistributedPlan.liesByRanges(resultModes)
              ? Optional.empty()
              : Optional.of(sent(made, entryBytes(order), parts, 0));
      return new Candidate(grid, reducer, routes, exchanges, kernel, arranging, Costs.NONE);
    }
    double old = request.asked().previous().map(known -> (double) known.entries()).orElse(0.0);
    double results = old + (reducer.isPresent() ? parts * here : made);
    // With the part that they come from.
    Costs merge =
        sent(results, entryBytes(order + 1), parts, results * entryBytes(order + 1) / VALUE_BYTES);
    return new Candidate(grid, reducer, routes, exchanges, kernel, Optional.empty(), merge);
  }

  /** Results that are sent once more, and sorted. */
  private Costs sent(double entries, double entryBytes, int parts, double flops) {
    double bytes = entries * entryBytes;
    double used = Math.min(parts, request.resources().slots());
    return new Costs(
        bytes,
        2 * bytes / parts,
        flops,
        bytes / machine.shuffledBytesPerSecond() / used
            + request.resources().stepSeconds(machine)
            + bytes / entryBytes(1) / machine.packedEntriesPerSecond() / used);
  }

  private double moved(String slot, Route route, LabelGrid grid, double whole) {
    int parts = grid.parts();
    if (route instanceof Route.ByNeed need) {
      TensorStatistics asked = request.statistics(slot);
      TensorStatistics asking = request.statistics(need.via());
      double mine = nonempty(asked, need.mode());
      double theirs = nonempty(asking, need.viaMode());
      double each = (double) asking.entries() / parts;
      double distinct = theirs * -Math.expm1(-each / Math.max(1, theirs));
      double requests = parts * distinct * (COORDINATE_BYTES + VALUE_BYTES);
      return whole + requests + parts * whole * Math.min(1, distinct / Math.max(1, mine));
    }
    return whole * (route instanceof Route.ByRanges cut ? grid.copies(cut.modes()) : 1);
  }

  private static double nonempty(TensorStatistics statistics, int mode) {
    return statistics.histogram(mode).nonemptyBetween(0, statistics.shape().size(mode));
  }

  private static double bytes(TensorStatistics statistics) {
    return (double) statistics.entries() * entryBytes(statistics);
  }

  private static double entryBytes(TensorStatistics statistics) {
    return entryBytes(statistics.shape().order());
  }

  private static double entryBytes(int order) {
    return order * COORDINATE_BYTES + VALUE_BYTES;
  }
}
