package org.weft.engine.order;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.Shared;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.ReorderModel;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.partition.Partitioner;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/**
 * Decides whether a job's tensor is to be relabelled, and how: in three steps, each of which costs
 * a small share of what it may save.
 *
 * <ol>
 *   <li>Kernels that would take less time altogether than an order costs are left alone. Nothing is
 *       measured.
 *   <li>The operand rows that kernels miss now are counted on windows ({@link RowReads}); what they
 *       cost must pay for an order.
 *   <li>The methods are tried on as many entries as the budget allows, and the rows missed under
 *       the new labels are counted. The best one is taken if it saves more than it still costs and
 *       leaves partitions as even as they were.
 * </ol>
 */
public final class ReorderChoice {
  /** Entries below this share of all tell too little of the others. */
  private static final double LEAST_SHARE = 0.05;

  /** Heaviest partition over the mean, against the same before. */
  private static final double LESS_EVEN = 1.05;

  private final EntryBlocks parts;
  private final JobPlan plan;
  private final Partitioner partitioner;
  private final ReorderModel model;
  private final List<String> reasons = new ArrayList<>();

  /** New histograms of a relabelled tensor. */
  public interface Moved {
    List<ModeHistogram> histograms(Shared<Relabelling> relabelling);
  }

  /** What was decided. */
  public record Decision(
      String method, Optional<Relabelling> relabelling, long entries, List<String> reasons) {}

  private record Trial(String method, Relabelling relabelling, double missedBytes) {}

  public ReorderChoice(
      EntryBlocks parts, JobPlan plan, Partitioner partitioner, MachineParameters machine) {
    this.parts = parts;
    this.plan = plan;
    this.partitioner = partitioner;
    this.model = new ReorderModel(plan, machine);
  }

  /**
   * @param mostEntries entries that may be ordered on the driver
   */
  public Decision decide(long mostEntries, Moved moved) {
    TensorStatistics statistics = plan.statistics();
    TensorShape shape = statistics.shape();
    long entries = Math.min(mostEntries, model.affordableEntries());
    double cost = model.orderSeconds(entries) + model.relabelSeconds();
    if (shape.order() < 2 || statistics.entries() == 0) {
      return no("a tensor of " + shape + " has nothing to gain");
    }
    if (Arrays.stream(shape.toArray()).anyMatch(size -> size > Integer.MAX_VALUE - 8)) {
      return no("modes of 2^31 coordinates and more keep their order");
    }
    if (entries < LEAST_SHARE * statistics.entries() || !model.pays(model.kernelSeconds(), cost)) {
      return no(
          "all kernels take %.3f s in %s; to order %s would take %.3f s",
          model.kernelSeconds(),
          Counts.plain(model.iterations(), "iteration"),
          Counts.of(entries, "entry"),
          cost);
    }
    SampledReads reads = new SampledReads(parts, model.cacheBytes());
    double before = reads.missedBytes(plan.modes(), statistics.histograms(), shape, null);
    double atMost = model.missSeconds(before);
    say(
        "operand rows from memory: %.1f MB an iteration, %.3f s of %.3f s of kernels",
        before / 1e6, atMost, model.kernelSeconds());
    if (!model.pays(Math.min(atMost, model.kernelSeconds()), cost)) {
      return no("to order %s would take %.3f s", Counts.of(entries, "entry"), cost);
    }
    return tried(entries, moved, reads, before);
  }

  private Decision tried(long entries, Moved moved, SampledReads reads, double before) {
    TensorStatistics statistics = plan.statistics();
    SampledOrder order = new SampledOrder(parts, statistics);
    List<CooBlock> sample = order.sample(entries);
    Trial best = null;
    for (String method : methods(statistics.shape().order())) {
      Relabelling found = order.order(Reorderers.named(method), sample);
      try (Shared<Relabelling> sent = parts.share(found)) {
        List<ModeHistogram> histograms = moved.histograms(sent);
        double after = reads.missedBytes(plan.modes(), histograms, statistics.shape(), sent);
        double uneven = imbalance(histograms) / imbalance(statistics.histograms());
        say(
            "%s on %s: %.1f MB an iteration, saves %.3f s; heaviest partition x %.2f",
            method,
            Counts.of(entries, "entry"),
            after / 1e6,
            model.missSeconds(before - after),
            uneven);
        if (uneven <= LESS_EVEN && (best == null || after < best.missedBytes())) {
          best = new Trial(method, found, after);
        }
      }
    }
    if (best == null
        || !model.pays(
            Math.min(model.missSeconds(before - best.missedBytes()), model.kernelSeconds()),
            model.relabelSeconds())) {
      return no("no order saves enough");
    }
    say("yes, by %s", best.method());
    return new Decision(best.method(), Optional.of(best.relabelling()), entries, reasons);
  }

  /** Cheapest first. Bands are found in matrices, whose own they are. */
  private static List<String> methods(int order) {
    return order == 2 ? List.of("lexi", "band") : List.of("degree", "lexi");
  }

  private double imbalance(List<ModeHistogram> histograms) {
    double worst = 1;
    for (ModePlan pass : plan.modes()) {
      int cut = pass.kernel().partitionedMode();
      int partitions = pass.partitioning().partitions();
      ModeHistogram histogram = histograms.get(cut);
      double[] shares =
          partitioner
              .partition(cut, plan.statistics().shape().size(cut), histogram, partitions)
              .expectedEntries(histogram);
      double heaviest = 0;
      for (double share : shares) {
        heaviest = Math.max(heaviest, share);
      }
      double mean = histogram.total() / (double) Math.max(1, partitions);
      worst = Math.max(worst, mean == 0 ? 1 : heaviest / mean);
    }
    return worst;
  }

  private Decision no(String format, Object... arguments) {
    reasons.add("auto: no: " + String.format(Locale.ROOT, format, arguments));
    return new Decision("auto: none", Optional.empty(), 0, reasons);
  }

  private void say(String format, Object... arguments) {
    reasons.add("auto: " + String.format(Locale.ROOT, format, arguments));
  }
}
