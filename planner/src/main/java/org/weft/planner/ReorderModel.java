package org.weft.planner;

import org.weft.planner.machine.MachineConstant;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.partition.PartitionCosts;

/**
 * What relabelling a tensor costs, and what it can save a job: operand rows that come from memory
 * instead of the cache. Everything else that a kernel does stays the same, because relabelling
 * keeps the number of slices and fibers.
 */
public record ReorderModel(JobPlan plan, MachineParameters machine) {
  /** Share of the job's predicted time that a search for an order may take. */
  private static final double BUDGET = 0.03;

  /** An order must save this many times what it costs. */
  private static final double MARGIN = 1.5;

  /** Times that every pass runs, as far as can be relied on. */
  public int iterations() {
    return plan.job().certain();
  }

  /** Cache that the operands of one kernel share. */
  public long cacheBytes() {
    return (long) machine.cacheBytes();
  }

  /** Seconds of the whole job without a new order. */
  public double jobSeconds() {
    return plan.predicted().seconds(iterations());
  }

  /** Seconds of all kernels of all iterations, if their time were spread evenly. */
  public double kernelSeconds() {
    return plan.modes().stream().mapToDouble(pass -> pass.total(PartitionCosts::seconds)).sum()
        / plan.resources().kernelsAtATime()
        * iterations();
  }

  /** Seconds to bring {@code entries} to the driver and order them. */
  public double orderSeconds(double entries) {
    return entries
        * (machine.get(MachineConstant.COLLECTED)
            + machine.get(MachineConstant.ORDERED) * plan.statistics().shape().order());
  }

  /** Seconds to give every entry its new coordinates, in every packed copy. */
  public double relabelSeconds() {
    return machine.get(MachineConstant.RELABELLED)
        * plan.statistics().entries()
        * plan.statistics().shape().order()
        * plan.modes().size()
        / plan.resources().slots();
  }

  /** Entries whose order may be tried: what the budget allows. */
  public long affordableEntries() {
    double perEntry = orderSeconds(1);
    return (long) Math.min(plan.statistics().entries(), BUDGET * jobSeconds() / perEntry);
  }

  /**
   * Seconds that all iterations spend on {@code missedBytes} per iteration more than on rows in the
   * cache.
   */
  public double missSeconds(double missedBytes) {
    double threads = (double) plan.resources().kernelsAtATime() * plan.resources().kernelThreads();
    double each = 1 / machine.streamBytesPerSecond() - 1 / machine.cachedBytesPerSecond();
    return missedBytes * Math.max(0, each) / threads * iterations();
  }

  /** Whether a saving is worth a cost that is still to come. */
  public boolean pays(double savedSeconds, double costSeconds) {
    return savedSeconds > MARGIN * costSeconds;
  }
}
