package org.weft.planner;

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
 */
public record PlannerOptions(
    int partitions,
    int partitionsPerSlot,
    long minimumEntries,
    double memoryFraction,
    Partitioner partitioner,
    MachineParameters machine) {

  public static PlannerOptions defaults() {
    return new PlannerOptions(0, 2, 20_000, 0.5, new EqualNonzeros(), MachineParameters.defaults());
  }

  public PlannerOptions withPartitions(int count) {
    return new PlannerOptions(
        count, partitionsPerSlot, minimumEntries, memoryFraction, partitioner, machine);
  }

  public PlannerOptions withPartitioner(Partitioner other) {
    return new PlannerOptions(
        partitions, partitionsPerSlot, minimumEntries, memoryFraction, other, machine);
  }

  public PlannerOptions withMachine(MachineParameters other) {
    return new PlannerOptions(
        partitions, partitionsPerSlot, minimumEntries, memoryFraction, partitioner, other);
  }
}
