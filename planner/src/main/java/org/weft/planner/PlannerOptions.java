package org.weft.planner;

import java.util.Optional;
import org.weft.compiler.Schedule;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.partition.EqualNonzeros;
import org.weft.planner.partition.Partitioner;

/**
 * Choices left to the user of a planner: what kernels are made and for which machine. Commands,
 * configuration and programs make one and hand it down whole.
 *
 * @param partitions of every mode; 0 chooses from cores and memory
 * @param partitioner cuts modes
 * @param statedMachine parameters of the cost model; empty for the driver's, or for any machine if
 *     results are to be reproducible
 * @param schedule of every kernel instead of the chosen one
 * @param reproducible whether results are the same bits on any number of cores: partitions and
 *     schedules do not depend on them, for as long as memory does not demand more partitions
 * @param forms of the tensor that decompositions keep
 * @param tree whether decompositions share products among modes
 */
public record PlannerOptions(
    int partitions,
    Partitioner partitioner,
    Optional<MachineParameters> statedMachine,
    Optional<Schedule> schedule,
    boolean reproducible,
    Forms forms,
    DimensionTree tree) {
  /** Partitions of reproducible plans, where the entries are worth as many. */
  public static final int REPRODUCIBLE_PARTITIONS = 16;

  public PlannerOptions {
    if (partitions < 0) {
      throw new IllegalArgumentException("negative partitions: " + partitions);
    }
  }

  /** Everything automatic. */
  public static PlannerOptions defaults() {
    return new PlannerOptions(
        0,
        new EqualNonzeros(),
        Optional.empty(),
        Optional.empty(),
        false,
        Forms.AUTO,
        DimensionTree.AUTO);
  }

  /** Parameters of the cost model, stated or not. */
  public MachineParameters machine() {
    return statedMachine.orElseGet(
        () -> reproducible ? MachineParameters.defaults() : MachineParameters.ofThisMachine());
  }

  public PlannerOptions withPartitions(int value) {
    return new PlannerOptions(
        value, partitioner, statedMachine, schedule, reproducible, forms, tree);
  }

  public PlannerOptions withMachine(MachineParameters value) {
    return new PlannerOptions(
        partitions, partitioner, Optional.of(value), schedule, reproducible, forms, tree);
  }

  public PlannerOptions withSchedule(Optional<Schedule> value) {
    return new PlannerOptions(
        partitions, partitioner, statedMachine, value, reproducible, forms, tree);
  }

  public PlannerOptions withReproducible(boolean value) {
    return new PlannerOptions(partitions, partitioner, statedMachine, schedule, value, forms, tree);
  }

  public PlannerOptions withForms(Forms value) {
    return new PlannerOptions(
        partitions, partitioner, statedMachine, schedule, reproducible, value, tree);
  }

  public PlannerOptions withTree(DimensionTree value) {
    return new PlannerOptions(
        partitions, partitioner, statedMachine, schedule, reproducible, forms, value);
  }
}
