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
    List<Integer> targetModes = plan.targetModes();
    int order = plan.shape().order();
    boolean merged = plan.merge().isPresent();
    int root = targetModes.isEmpty() ? 0 : targetModes.get(0);
    int[] written = rootFirst(order, root);
    List<String> names = plan.slots().stream().map(DistributedPlan.Slot::name).toList();
    List<List<Integer>> shifted =
        plan.slots().stream()
            .map(
                slot ->
                    slot.route() instanceof Route.ByRanges cut ? cut.modes() : List.<Integer>of())
            .toList();
    Parts results =
        arrived.map(
            measured(
                Measured.KERNEL,
                new KernelStep(
                    shared(plan.kernel(), owned),
                    names,
                    shifted,
                    plan.label(),
                    plan.ranges(),
                    new HashMap<>(plan.sizes()),
                    targetModes,
                    merged ? null : written,
                    threads,
                    reproducible)));
    if (!merged) {
      Ranges ranges = targetModes.isEmpty() ? whole(plan) : plan.ranges();
      return root == 0 || order == 0
          ? new Result(results, written, ranges, owned)
          : inOrder(plan, results, owned);
    }
    return merged(plan, results, previous, owned);
  }

  private static Ranges whole(DistributedPlan plan) {
    return Ranges.equal(plan.shape().order() == 0 ? 1 : plan.shape().size(0), 1);
  }

  private <T> Shared<T> shared(T value, List<AutoCloseable> owned) {
    Shared<T> shared = site.share(value);
    owned.add(shared);
    return shared;
  }

  private static int[] rootFirst(int order, int root) {
    return IntStream.concat(
            order == 0 ? IntStream.empty() : IntStream.of(root),
            IntStream.range(0, order).filter(mode -> mode != root))
        .toArray();
  }

  /** Every operand where the parts of the statement need it. */
  private Parts arrived(
      DistributedPlan plan, Map<String, Parts> operands, List<AutoCloseable> owned) {
    int parts = plan.ranges().parts();
    List<Parts> sent = new ArrayList<>();
    List<DistributedPlan.Slot> slots = plan.slots();
    for (int slot = 0; slot < slots.size(); slot++) {
      Parts entries = Objects.requireNonNull(operands.get(slots.get(slot).tensor()));
      Route route = slots.get(slot).route();
      if (route instanceof Route.ByRanges cut) {
        Parts.Step step = Steps.cut(slot, cut.modes(), plan.ranges());
        sent.add(entries.map(measured(Measured.exchange(slots.get(slot).name()), step)));
      } else if (route instanceof Route.Everywhere) {
        Parts.Step step = Steps.copy(slot, parts);
        sent.add(entries.map(measured(Measured.exchange(slots.get(slot).name()), step)));
      }
    }
    if (slots.isEmpty()) {
      return site.parts(Pieces.seeds(parts)).exchange(List.of(), parts);
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
    int parts = plan.ranges().parts();
    int via = 0;
    while (!plan.slots().get(via).name().equals(need.via())) {
      via++;
    }
    int requests = plan.slots().size();
    Ranges owners = Ranges.equal(need.size(), parts);
    String node = Measured.exchange(plan.slots().get(slot).name());
    Parts asked = kept.map(measured(node, Steps.request(via, need.viaMode(), requests, owners)));
    return entries
        .map(measured(node, Steps.cut(slot, List.of(need.mode()), owners)))
        .exchange(List.of(asked), owners.parts())
        .map(measured(node, Steps.serve(slot, need.mode(), requests, slot)));
  }

  /** The result in parts by ranges of its first mode, which it does not lie along. */
  private Result inOrder(DistributedPlan plan, Parts results, List<AutoCloseable> owned) {
    Ranges ranges = Ranges.equal(plan.shape().size(0), plan.ranges().parts());
    int[] natural = rootFirst(plan.shape().order(), 0);
    Parts sorted =
        results
            .map(Steps.cut(0, List.of(0), ranges))
            .exchange(List.of(), ranges.parts())
            .map(new SortStep(plan.shape(), natural));
    return new Result(sorted, natural, ranges, owned);
  }

  private Result merged(
      DistributedPlan plan, Parts results, @Nullable Parts previous, List<AutoCloseable> owned) {
    DistributedPlan.Merge merge = plan.merge().orElseThrow();
    Ranges ranges = merge.ranges();
    int order = plan.shape().order();
    List<Integer> first = order == 0 ? List.of() : List.of(0);
    List<Parts> sent = new ArrayList<>();
    sent.add(addressed(results, order, ranges, -1));
    if (previous != null) {
      sent.add(addressed(previous, order, ranges, plan.ranges().parts()));
    }
    CompiledStatement kernel = merge.kernel();
    Map<String, Long> sizes = new HashMap<>();
    for (int mode = 0; mode < order; mode++) {
      sizes.put(merge.labels().get(mode), plan.shape().size(mode));
    }
    sizes.put(DistributedPlan.Merge.PART, plan.ranges().parts() + 1L);
    int[] natural = rootFirst(order, 0);
    Parts made =
        sent.get(0)
            .exchange(sent.subList(1, sent.size()), ranges.parts())
            .map(
                measured(
                    Measured.MERGE,
                    new KernelStep(
                        shared(kernel, owned),
                        List.of(DistributedPlan.Merge.PARTS),
                        List.of(first),
                        order == 0 ? "" : merge.labels().get(0),
                        ranges,
                        sizes,
                        first,
                        natural,
                        threads,
                        reproducible)));
    return new Result(made, natural, ranges, owned);
  }

  /** Entries on their way to the merge, with a last mode for the part that they come from. */
  private Parts addressed(Parts entries, int order, Ranges ranges, int part) {
    Parts numbered = entries.map(new NumberStep(part));
    Parts.Step step = order == 0 ? Steps.copy(0, 1) : Steps.cut(0, List.of(0), ranges);
    return numbered.map(measured(Measured.RESULTS, step));
  }
}
