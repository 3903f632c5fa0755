package org.weft.planner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.weft.planner.job.ModeGroup;
import org.weft.planner.job.RowStatement;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Finds the cheapest dimension tree of an alternating decomposition. Its nodes below the root are
 * groups of neighbouring modes, since the modes are updated in order and products are of no use
 * once another factor of theirs has changed. All ways to cut the modes into groups are compared, by
 * the cheapest cuts of the first modes. Cost {@code O(order^2)} predictions.
 *
 * <p>Products have a cell for each combination of the group's coordinates. They pay where those are
 * few beside the entries, so that groups of more cells than entries are left out.
 */
final class TreeSearch {
  /** Most numbers of a small matrix, which travel by way of the driver. */
  private static final double SMALL = 1 << 22;

  /** Of the executors' memory, what the products of a group may fill. */
  private static final double MEMORY_SHARE = 0.25;

  /** Seconds in one process to begin one operation on rows: bindings and threads. */
  private static final double OPERATION = 5e-5;

  /** Jobs that a mode of a group other than its root needs beside its update. */
  private static final int EXTRA_STEPS = 2;

  private final int rank;
  private final ValueType type;
  private final TensorStatistics statistics;
  private final TensorShape shape;
  private final Resources resources;
  private final MachineParameters machine;
  private final StepModel steps;
  private final Function<RowStatement, ModePlan> planned;
  private final Map<ModeGroup, ModePlan> passes = new HashMap<>();
  private final Map<Integer, Optional<Cut>> cuts = new HashMap<>();

  /**
   * @param resources that times are predicted for
   * @param steps what times are predicted by
   * @param planned the pass of a statement
   */
  TreeSearch(
      int rank,
      ValueType type,
      TensorStatistics statistics,
      Resources resources,
      MachineParameters machine,
      StepModel steps,
      Function<RowStatement, ModePlan> planned) {
    this.rank = rank;
    this.type = type;
    this.statistics = statistics;
    this.shape = statistics.shape();
    this.resources = resources;
    this.machine = machine;
    this.steps = steps;
    this.planned = planned;
  }

  /** Groups of the modes from one on. */
  private record Cut(List<ModeGroup> groups, double seconds) {
    Cut after(ModeGroup first, double more) {
      List<ModeGroup> all = new ArrayList<>(List.of(first));
      all.addAll(groups);
      return new Cut(all, seconds + more);
    }
  }

  /** The groups of the cheapest tree that has products; empty if none are possible. */
  List<ModeGroup> cheapest() {
    return cheapest(0, true).map(Cut::groups).orElse(List.of());
  }

  private Optional<Cut> cheapest(int from, boolean shares) {
    if (from == shape.order()) {
      return shares ? Optional.empty() : Optional.of(new Cut(List.of(), 0));
    }
    Optional<Cut> known = cuts.get(2 * from + (shares ? 1 : 0));
    if (known == null) {
      known =
          IntStream.rangeClosed(from + 1, shape.order())
              .mapToObj(to -> ModeGroup.of(shape, from, to))
              .filter(this::isPossible)
              .flatMap(group -> cheapest(group, shares).stream())
              .min(Comparator.comparingDouble(Cut::seconds));
      cuts.put(2 * from + (shares ? 1 : 0), known);
    }
    return known;
  }

  private Optional<Cut> cheapest(ModeGroup first, boolean shares) {
    int next = first.modes().get(first.modes().size() - 1) + 1;
    return cheapest(next, shares && !first.shares())
        .map(cut -> cut.after(first, steps.seconds(pass(first)) + finishSeconds(first)));
  }

  /** The passes of groups, in order. */
  List<ModePlan> passes(List<ModeGroup> groups) {
    return groups.stream().map(this::pass).toList();
  }

  private ModePlan pass(ModeGroup group) {
    return passes.computeIfAbsent(group, key -> planned.apply(key.statement(shape, rank)));
  }

  private boolean isPossible(ModeGroup group) {
    if (!group.shares()) {
      return true;
    }
    boolean whole = group.modes().size() == shape.order();
    double cells = group.numbers(shape, 1);
    boolean few = cells > 0 && cells <= statistics.entries();
    boolean fits =
        bytes(group) <= MEMORY_SHARE * resources.memoryBytesPerExecutor() * resources.executors();
    return !whole && few && fits && group.rowCells(shape) * rank <= SMALL;
  }

  /** Predicted costs of the passes and of what makes MTTKRPs of products. */
  PlanCosts costs(List<ModeGroup> groups, int iterations) {
    double bytes = 0;
    double moved = 0;
    double flops = 0;
    double seconds =
        (shape.order() - groups.size()) * resources.stepSeconds(machine); // of the updates
    for (ModeGroup group : groups) {
      moved += group.modes().size() * bytes(group);
      flops += group.modes().size() * flops(group);
      seconds += finishSeconds(group);
      bytes += bytes(group);
      bytes += group.shares() ? (double) shape.size(group.root()) * rank * type.bytes() : 0;
    }
    return steps
        .costs(passes(groups), iterations)
        .withProducts(moved, flops, seconds, bytes / resources.executors());
  }

  /** Predicted costs of an MTTKRP of all entries for each mode. */
  PlanCosts costsWithout(int iterations) {
    List<ModeGroup> all =
        IntStream.range(0, shape.order())
            .mapToObj(mode -> ModeGroup.of(shape, mode, mode + 1))
            .toList();
    return costs(all, iterations);
  }

  /** Seconds of an iteration beside the kernels, with products or without. */
  double idleSeconds() {
    return shape.order() * resources.stepSeconds(machine);
  }

  private double bytes(ModeGroup group) {
    return group.shares() ? group.numbers(shape, rank) * type.bytes() : 0;
  }

  /** Operations of one MTTKRP that is made of products. */
  private double flops(ModeGroup group) {
    return group.shares() ? 2 * (group.modes().size() - 1) * group.numbers(shape, rank) : 0;
  }

  /** Seconds of all MTTKRPs that are made of a group's products. */
  private double finishSeconds(ModeGroup group) {
    double seconds = 0;
    for (int mode : group.shares() ? group.modes() : List.<Integer>of()) {
      double threads = (double) resources.executors() * resources.coresPerExecutor();
      double own = bytes(group) / threads;
      double rate =
          own <= machine.cacheBytes()
              ? machine.cachedBytesPerSecond()
              : own <= machine.sharedCacheBytes()
                  ? machine.sharedBytesPerSecond()
                  : machine.streamBytesPerSecond();
      double busy = Math.min(threads, Math.max(1, shape.size(mode)));
      seconds += Math.max(bytes(group) / rate, flops(group) / machine.flopsPerSecond()) / busy;
      seconds +=
          resources.inTurn()
              ? OPERATION
              : mode == group.root() ? 0 : EXTRA_STEPS * resources.stepSeconds(machine);
    }
    return seconds;
  }
}
