package org.weft.planner;

import java.util.Optional;
import java.util.function.Consumer;
import org.weft.compiler.Schedule;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.partition.EqualNonzeros;
import org.weft.planner.partition.Partitioner;

/**
 * Choices left to the user of a planner.
 *
 * @param partitions of every mode; 0 chooses from cores and memory
 * @param partitionsPerSlot partitions for each long task that runs at a time: more than 1 evens out
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

  public PlannerOptions withPartitions(int value) {
    return with(draft -> draft.partitions = value);
  }

  public PlannerOptions withPartitioner(Partitioner value) {
    return with(draft -> draft.partitioner = value);
  }

  public PlannerOptions withMachine(MachineParameters value) {
    return with(draft -> draft.machine = value);
  }

  public PlannerOptions withSchedule(Optional<Schedule> value) {
    return with(draft -> draft.schedule = value);
  }

  public PlannerOptions withReproducible(boolean value) {
    return with(draft -> draft.reproducible = value);
  }

  public PlannerOptions withForms(Forms value) {
    return with(draft -> draft.forms = value);
  }

  private PlannerOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options that can be changed. */
  private static final class Draft {
    private int partitions;
    private final int partitionsPerSlot;
    private final long minimumEntries;
    private final double memoryFraction;
    private Partitioner partitioner;
    private MachineParameters machine;
    private Optional<Schedule> schedule;
    private boolean reproducible;
    private Forms forms;

    Draft(PlannerOptions from) {
      partitions = from.partitions;
      partitionsPerSlot = from.partitionsPerSlot;
      minimumEntries = from.minimumEntries;
      memoryFraction = from.memoryFraction;
      partitioner = from.partitioner;
      machine = from.machine;
      schedule = from.schedule;
      reproducible = from.reproducible;
      forms = from.forms;
    }

    PlannerOptions options() {
      return new PlannerOptions(
          partitions,
          partitionsPerSlot,
          minimumEntries,
          memoryFraction,
          partitioner,
          machine,
          schedule,
          reproducible,
          forms);
    }
  }
}
