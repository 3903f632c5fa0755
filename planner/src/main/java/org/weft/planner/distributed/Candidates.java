package org.weft.planner.distributed;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.eval.StatementAlgebra;
import org.weft.planner.machine.MachineParameters;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;

/**
 * The ways to run a statement, with predictions: along every label that {@link Division} allows,
 * with every way for operands that do not have the label, and undivided.
 */
final class Candidates {
  private static final long COORDINATE_BYTES = 4;
  private static final long VALUE_BYTES = 8;

  private final MachineParameters machine;

  Candidates(MachineParameters machine) {
    this.machine = machine;
  }

  List<Candidate> of(SlottedRequest request) {
    StatementAlgebra algebra = request.algebra();
    TensorAssignment statement = algebra.assignment();
    List<Candidate> candidates = new ArrayList<>();
    for (IndexVar label : statement.variables()) {
      Long size = algebra.sizes().get(label.name());
      boolean asked =
          request.asked().only().isEmpty() || request.asked().only().equals(label.name());
      if (size == null || size < 1 || !asked) {
        continue;
      }
      boolean kept = statement.target().variables().contains(label);
      Optional<Operator> reducer = kept ? Optional.empty() : Division.reducer(statement, label);
      // A value before the statement is added to, whatever the reducer is.
      boolean added =
          statement.target().variables().isEmpty() || request.asked().previous().isPresent();
      if (!kept && (reducer.isEmpty() || added && reducer.get() != Operator.PLUS)) {
        continue;
      }
      Ranges ranges = ranges(request, algebra, label, size);
      for (boolean need : new boolean[] {false, true}) {
        candidate(request, algebra, label, reducer, ranges, need).ifPresent(candidates::add);
      }
    }
    if (request.asked().only().isEmpty() || request.asked().only().equals("-")) {
      candidates.add(undivided(request, algebra));
    }
    return candidates;
  }

  private Ranges ranges(
      SlottedRequest request, StatementAlgebra algebra, IndexVar label, long size) {
    int parts = request.parts();
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

  private Optional<Candidate> candidate(
      SlottedRequest request,
      StatementAlgebra algebra,
      IndexVar label,
      Optional<Operator> reducer,
      Ranges ranges,
      boolean need) {
    Map<String, Route> routes = new LinkedHashMap<>();
    Map<String, TensorExpr.Access> accesses = accesses(algebra);
    for (Map.Entry<String, TensorExpr.Access> slot : accesses.entrySet()) {
      List<Integer> modes = modes(slot.getValue().variables(), label);
      if (!modes.isEmpty()) {
        routes.put(slot.getKey(), new Route.ByRanges(modes));
      }
    }
    boolean asks = false;
    for (Map.Entry<String, TensorExpr.Access> slot : accesses.entrySet()) {
      if (routes.containsKey(slot.getKey())) {
        continue;
      }
      Optional<Route.ByNeed> needed =
          need ? byNeed(algebra, accesses, routes, slot.getKey()) : Optional.empty();
      asks |= needed.isPresent();
      routes.put(
          slot.getKey(), needed.map(route -> (Route) route).orElseGet(Route.Everywhere::new));
    }
    Optional<Class<? extends Route>> forced = request.asked().exchange();
    boolean refused =
        need != asks
            || forced.isPresent()
                && (forced.get() == Route.ByNeed.class) != asks
                && routes.values().stream().anyMatch(r -> !(r instanceof Route.ByRanges));
    return refused
        ? Optional.empty()
        : Optional.of(priced(request, algebra, Optional.of(label), reducer, ranges, routes));
  }

  private static Map<String, TensorExpr.Access> accesses(StatementAlgebra algebra) {
    Map<String, TensorExpr.Access> accesses = new LinkedHashMap<>();
    algebra.assignment().value().accesses().forEach(a -> accesses.put(a.tensor().name(), a));
    return accesses;
  }

  static List<Integer> modes(List<IndexVar> variables, IndexVar label) {
    return IntStream.range(0, variables.size())
        .filter(mode -> variables.get(mode).equals(label))
        .boxed()
        .toList();
  }

  /** The mode of {@code slot} by which a cut operand that it is multiplied with can ask for it. */
  private static Optional<Route.ByNeed> byNeed(
      StatementAlgebra algebra,
      Map<String, TensorExpr.Access> accesses,
      Map<String, Route> routes,
      String slot) {
    TensorExpr value = algebra.assignment().value();
    List<IndexVar> own = Objects.requireNonNull(accesses.get(slot)).variables();
    for (Map.Entry<String, TensorExpr.Access> other : accesses.entrySet()) {
      TensorExpr.Access asking = other.getValue();
      boolean cut = routes.get(other.getKey()) instanceof Route.ByRanges;
      if (!cut
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

  private Candidate undivided(SlottedRequest request, StatementAlgebra algebra) {
    Map<String, Route> routes = new LinkedHashMap<>();
    accesses(algebra).keySet().forEach(slot -> routes.put(slot, new Route.Everywhere()));
    return priced(request, algebra, Optional.empty(), Optional.empty(), Ranges.equal(1, 1), routes);
  }

  private Candidate priced(
      SlottedRequest request,
      StatementAlgebra algebra,
      Optional<IndexVar> label,
      Optional<Operator> reducer,
      Ranges ranges,
      Map<String, Route> routes) {
    int parts = ranges.parts();
    double slots = request.resources().slots();
    double network = machine.shuffledBytesPerSecond() * Math.min(slots, parts);
    Map<String, Costs> exchanges = new LinkedHashMap<>();
    double arrived = 0;
    double entries = 0;
    for (Map.Entry<String, Route> route : routes.entrySet()) {
      double whole = bytes(request.statistics(route.getKey()));
      double moved = moved(request, route.getKey(), route.getValue(), parts, whole);
      boolean asks = route.getValue() instanceof Route.ByNeed;
      arrived += asks ? moved - whole : moved;
      entries += moved / Math.max(1, entryBytes(request.statistics(route.getKey())));
      double steps = (asks ? 3 : 1) * machine.stepSeconds();
      exchanges.put(route.getKey(), new Costs(moved, 0, 0, moved / network + steps));
    }
    double made = algebra.resultEntries();
    double madeBytes = made * entryBytes(algebra.assignment().target().variables().size());
    double used = Math.min(parts, slots);
    double flops = 2 * Products.count(algebra, algebra.assignment().value()) + made;
    Costs kernel =
        new Costs(
            0,
            (arrived + madeBytes) / parts,
            flops,
            entries / machine.packedEntriesPerSecond() / used
                + flops / machine.flopsPerSecond() / used);
    Costs merge = Costs.NONE;
    if (reducer.isPresent() || request.asked().previous().isPresent()) {
      int order = algebra.assignment().target().variables().size();
      double old = request.asked().previous().map(known -> (double) known.entries()).orElse(0.0);
      double sent = reducer.isPresent() ? parts * Products.madeByPart(algebra, parts) : made;
      double bytes = (old + sent) * entryBytes(order + 1); // with the part that they come from
      merge =
          new Costs(
              bytes,
              2 * bytes / parts,
              bytes / VALUE_BYTES,
              bytes / network
                  + machine.stepSeconds()
                  + bytes / entryBytes(1) / machine.packedEntriesPerSecond() / used);
    }
    return new Candidate(label, reducer, ranges, routes, exchanges, kernel, merge);
  }

  private double moved(SlottedRequest request, String slot, Route route, int parts, double whole) {
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
    return route instanceof Route.Everywhere ? parts * whole : whole;
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
