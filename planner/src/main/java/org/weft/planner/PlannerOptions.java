package org.weft.planner;

import java.util.Optional;
import org.weft.compiler.Schedule;

/**
 * Choices left to the user of a planner.
 *
 * @param partitions of every mode; 0 chooses from cores and memory
 * @param partitionsPerSlot partitions for each task that runs at a time: more than 1 evens out
 *     tasks of unequal length
 * @param minimumEntries per partition, below which a task is not worth starting
 * @param memoryFraction of an executor's memory that the partitions in work may fill while packed
 * @param partitioner cuts modes
 * @param machine parameters of the cost model
 * @param schedule of every kernel instead of the chosen one
 * @param reproducible whether results are the same bits on any number of cores: partitions and
 *     schedules do not depend on them
 * @param forms of the tensor that decompositions keep
 */
public record PlannerOptions(
    int partitions,
    int partitionsPerSlot,
    long minimumEntries,
    double memoryFraction,
    Partitioner partitioner,
    MachineParameters machine,
    Optional<Schedule> schedule,
    boolean reproducible,
    Forms forms) {

  public static PlannerOptions defaults() {
    return new PlannerOptions(
        0,
        2,
        20_000,
        0.5,
        new EqualNonzeros(),
        MachineParameters.defaults(),
        Optional.empty(),
        false,
        Forms.AUTO);
  }

  public PlannerOptions withPartitions(int count) {
    return new PlannerOptions(
        count,
        partitionsPerSlot,
        minimumEntries,
        memoryFraction,
        partitioner,
        machine,
        schedule,
        reproducible,
        forms);
  }

  public PlannerOptions withPartitioner(Partitioner other) {
    return new PlannerOptions(
        partitions,
        partitionsPerSlot,
        minimumEntries,
        memoryFraction,
        other,
        machine,
        schedule,
        reproducible,
        forms);
  }

  public PlannerOptions withMachine(MachineParameters other) {
    return new PlannerOptions(
        partitions,
        partitionsPerSlot,
        minimumEntries,
        memoryFraction,
        partitioner,
        other,
        schedule,
        reproducible,
        forms);
  }

  public PlannerOptions withSchedule(Optional<Schedule> other) {
    return new PlannerOptions(
        partitions,
        partitionsPerSlot,
        minimumEntries,
        memoryFraction,
        partitioner,
        machine,
        other,
        reproducible,
        forms);
  }

  public PlannerOptions withReproducible(boolean value) {
    return new PlannerOptions(
        partitions,
        partitionsPerSlot,
        minimumEntries,
        memoryFraction,
        partitioner,
        machine,
        schedule,
        value,
        forms);
  }

  public PlannerOptions withForms(Forms value) {
    return new PlannerOptions(
        partitions,
        partitionsPerSlot,
        minimumEntries,
        memoryFraction,
        partitioner,
        machine,
        schedule,
        reproducible,
        value);
  }
}
