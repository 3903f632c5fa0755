package org.weft.engine.distributed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.Shared;
import org.weft.planner.distributed.CompiledStatement;
import org.weft.planner.distributed.DistributedPlan;
import org.weft.planner.distributed.LabelGrid;
import org.weft.planner.distributed.Measured;
import org.weft.planner.distributed.Ranges;
import org.weft.planner.distributed.Route;

/**
 * Carries out plans of statements. An operand's entries are exchanged by its route; the kernel runs
 * in every part; results for the same cells are exchanged once more and merged.
 */
public final class StatementRunner {
  private final Site site;
  private final int threads;
  private final boolean reproducible;
  private final @Nullable Meter meter;

  /** Where parts lie and steps run. */
  public interface Site {
    /** Makes {@code value} available wherever steps run. */
    <T> Shared<T> share(T value);

    /** Pieces that this process has made, as parts that others can be exchanged with. */
    Parts parts(List<Piece> pieces);

    /** A new counter. */
    Counter counter();
  }

  /**
   * @param threads of a kernel
   * @param reproducible whether results are the same bits for every number of threads
   * @param meter measures the steps, or null
   */
  public StatementRunner(Site site, int threads, boolean reproducible, @Nullable Meter meter) {
    this.site = site;
    this.threads = threads;
    this.reproducible = reproducible;
    this.meter = meter;
  }

  private Parts.Step measured(String node, Parts.Step step) {
    return meter == null ? step : meter.measured(node, step);
  }

  /**
   * The result of a statement in parts.
   *
   * @param parts the entries, under the coordinates of the result; each part sorted by {@code
   *     modeOrder}
   * @param ranges of the first mode of {@code modeOrder}: part {@code p} has the slices of range
   *     {@code p}
   * @param owned what to free when the result is not needed any more
   */
  public record Result(Parts parts, int[] modeOrder, Ranges ranges, List<AutoCloseable> owned) {}

  /**
   * Describes the result of {@code plan}; nothing runs before its parts are asked for.
   *
   * @param operands the entries of every tensor that the statement reads, by name
   * @param previous entries of the value that is added to, or null
   */
  public Result run(DistributedPlan plan, Map<String, Parts> operands, @Nullable Parts previous) {
    List<AutoCloseable> owned = new ArrayList<>();
    Parts arrived = arrived(plan, operands, owned);
    int order = plan.shape().order();
    boolean asMade = plan.merge().isPresent() || plan.isArranged();
    int[] written = IntStream.range(0, order).toArray();
    List<String> names = plan.slots().stream().map(DistributedPlan.Slot::name).toList();
    List<List<List<Integer>>> modes =
        plan.slots().stream()
            .map(
                slot ->
                    slot.route() instanceof Route.ByRanges cut
                        ? cut.modes()
                        : plan.grid().modes(List.of()))
            .toList();
    Parts results =
        arrived.map(
            measured(
                Measured.KERNEL,
                new KernelStep(
                    shared(plan.kernel(), owned),
                    names,
                    modes,
                    plan.grid(),
                    new HashMap<>(plan.sizes()),
                    plan.resultModes(),
                    asMade ? null : written,
                    threads,
                    reproducible)));
    if (plan.merge().isPresent()) {
      return merged(plan, results, previous, owned);
    }
    if (plan.isArranged()) {
      return arranged(plan, results, owned);
    }
    List<LabelGrid.Axis> axes = plan.grid().axes();
    return new Result(results, written, axes.isEmpty() ? whole(plan) : axes.get(0).ranges(), owned);
  }

  private static Ranges whole(DistributedPlan plan) {
    return Ranges.equal(plan.shape().order() == 0 ? 1 : plan.shape().size(0), 1);
  }

  private <T> Shared<T> shared(T value, List<AutoCloseable> owned) {
    Shared<T> shared = site.share(value);
    owned.add(shared);
    return shared;
  }

  /** Every operand where the parts of the statement need it. */
  private Parts arrived(
      DistributedPlan plan, Map<String, Parts> operands, List<AutoCloseable> owned) {
    int parts = plan.grid().parts();
    List<Parts> sent = new ArrayList<>();
    List<DistributedPlan.Slot> slots = plan.slots();
    for (int slot = 0; slot < slots.size(); slot++) {
      if (slots.get(slot).route() instanceof Route.ByRanges cut) {
        Parts entries = Objects.requireNonNull(operands.get(slots.get(slot).tensor()));
        Parts.Step step = Steps.cut(slot, cut.modes(), plan.grid());
        sent.add(entries.map(measured(Measured.exchange(slots.get(slot).name()), step)));
      }
    }
    if (slots.isEmpty()) {
      return site.parts(Piece.seeds(parts)).exchange(List.of(), parts);
    }
    Parts first = sent.get(0).exchange(sent.subList(1, sent.size()), parts);
    boolean asks = slots.stream().anyMatch(slot -> slot.route() instanceof Route.ByNeed);
    if (!asks) {
      return first;
    }
    // Asked for its coordinates first and read by the kernel later.
    Parts kept = first.kept();
    owned.add(kept::release);
    List<Parts> answers = new ArrayList<>();
    for (int slot = 0; slot < slots.size(); slot++) {
      if (slots.get(slot).route() instanceof Route.ByNeed need) {
        Parts entries = Objects.requireNonNull(operands.get(slots.get(slot).tensor()));
        answers.add(answers(plan, kept, entries, slot, need));
      }
    }
    return kept.with(answers.get(0).exchange(answers.subList(1, answers.size()), parts));
  }

  private Parts answers(
      DistributedPlan plan, Parts kept, Parts entries, int slot, Route.ByNeed need) {
    int parts = plan.grid().parts();
    int via = 0;
    while (!plan.slots().get(via).name().equals(need.via())) {
      via++;
    }
    int requests = plan.slots().size();
    Ranges owners = Ranges.equal(need.size(), parts);
    String node = Measured.exchange(plan.slots().get(slot).name());
    Parts asked = kept.map(measured(node, Steps.request(via, need.viaMode(), requests, owners)));
    return entries
        .map(measured(node, Steps.cut(slot, need.mode(), owners)))
        .exchange(List.of(asked), owners.parts())
        .map(measured(node, Steps.serve(slot, need.mode(), requests, slot)));
  }

  /** The result in parts by ranges of its first mode, which it does not lie along. */
  private Result arranged(DistributedPlan plan, Parts results, List<AutoCloseable> owned) {
    Ranges ranges = Ranges.equal(plan.shape().size(0), plan.grid().parts());
    int[] natural = IntStream.range(0, plan.shape().order()).toArray();
    Parts sorted =
        results
            .map(measured(Measured.ARRANGED, Steps.cut(0, 0, ranges)))
            .exchange(List.of(), ranges.parts())
            .map(Steps.sorted(plan.shape(), natural));
    return new Result(sorted, natural, ranges, owned);
  }

  private Result merged(
      DistributedPlan plan, Parts results, @Nullable Parts previous, List<AutoCloseable> owned) {
    DistributedPlan.Merge merge = plan.merge().orElseThrow();
    Ranges ranges = merge.ranges();
    int order = plan.shape().order();
    LabelGrid grid =
        order == 0 ? LabelGrid.undivided() : LabelGrid.along(merge.labels().get(0), ranges);
    List<Parts> sent = new ArrayList<>();
    sent.add(addressed(results, order, ranges, -1));
    if (previous != null) {
      sent.add(addressed(previous, order, ranges, plan.grid().parts()));
    }
    CompiledStatement kernel = merge.kernel();
    Map<String, Long> sizes = new HashMap<>();
    for (int mode = 0; mode < order; mode++) {
      sizes.put(merge.labels().get(mode), plan.shape().size(mode));
    }
    sizes.put(DistributedPlan.Merge.PART, plan.grid().parts() + 1L);
    int[] natural = IntStream.range(0, order).toArray();
    Parts made =
        sent.get(0)
            .exchange(sent.subList(1, sent.size()), ranges.parts())
            .map(
                measured(
                    Measured.MERGE,
                    new KernelStep(
                        shared(kernel, owned),
                        List.of(DistributedPlan.Merge.PARTS),
                        List.of(grid.modes(merge.labels())),
                        grid,
                        sizes,
                        grid.modes(merge.labels()),
                        natural,
                        threads,
                        reproducible)));
    return new Result(made, natural, ranges, owned);
  }

  /** Entries on their way to the merge, with a last mode for the part that they come from. */
  private Parts addressed(Parts entries, int order, Ranges ranges, int part) {
    Parts numbered = entries.map(Steps.numbered(part));
    Parts.Step step =
        order == 0 ? Steps.cut(0, List.of(), LabelGrid.undivided()) : Steps.cut(0, 0, ranges);
    return numbered.map(measured(Measured.RESULTS, step));
  }
}
