package org.weft.engine;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.weft.compiler.Schedule;
import org.weft.planner.Forms;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;

/**
 * How an engine works.
 *
 * @param partitions per mode; 0 lets the planner choose from memory and cores
 * @param threadsPerTask threads of one kernel call; 0 takes {@code spark.task.cpus}
 * @param memoryBytes off the heap that tensors may fill in one process; 0 for most of the machine's
 * @param compilerCache folder of the persistent kernel cache, if any
 * @param schedule of every kernel; empty lets the planner choose
 * @param check whether kernels check every access
 * @param reproducible whether results are the same bits on any number of cores, for as long as
 *     memory does not demand more partitions
 * @param operandFetch how operands get to the processes that read them
 * @param forms of the tensor that decompositions keep
 * @param cluster to plan for; empty for the one that jobs run on
 * @param machine that kernels are planned for; empty for the driver's, or for any machine if
 *     results are to be reproducible
 */
public record EngineOptions(
    int partitions,
    int threadsPerTask,
    long memoryBytes,
    Optional<Path> compilerCache,
    Optional<Schedule> schedule,
    boolean check,
    boolean reproducible,
    OperandFetch operandFetch,
    Forms forms,
    Optional<Resources> cluster,
    Optional<MachineParameters> machine) {
  public EngineOptions {
    if (partitions < 0 || threadsPerTask < 0 || memoryBytes < 0) {
      throw new IllegalArgumentException(
          "negative partitions, threads or bytes: "
              + partitions
              + ", "
              + threadsPerTask
              + ", "
              + memoryBytes);
    }
  }

  /** Everything automatic, no persistent cache. */
  public static EngineOptions defaults() {
    return new EngineOptions(
        0,
        0,
        0,
        Optional.empty(),
        Optional.empty(),
        false,
        false,
        OperandFetch.AUTO,
        Forms.AUTO,
        Optional.empty(),
        Optional.empty());
  }

  public EngineOptions withPartitions(int value) {
    return with(draft -> draft.partitions = value);
  }

  public EngineOptions withThreadsPerTask(int value) {
    return with(draft -> draft.threadsPerTask = value);
  }

  public EngineOptions withMemoryBytes(long value) {
    return with(draft -> draft.memoryBytes = value);
  }

  public EngineOptions withCompilerCache(Path folder) {
    return with(draft -> draft.compilerCache = Optional.of(folder));
  }

  public EngineOptions withSchedule(Optional<Schedule> value) {
    return with(draft -> draft.schedule = value);
  }

  public EngineOptions withCheck(boolean value) {
    return with(draft -> draft.check = value);
  }

  public EngineOptions withOperandFetch(OperandFetch value) {
    return with(draft -> draft.operandFetch = value);
  }

  public EngineOptions withReproducible(boolean value) {
    return with(draft -> draft.reproducible = value);
  }

  public EngineOptions withForms(Forms value) {
    return with(draft -> draft.forms = value);
  }

  /** For plans that are looked at and not run. */
  public EngineOptions withCluster(Resources value) {
    return with(draft -> draft.cluster = Optional.of(value));
  }

  public EngineOptions withMachine(MachineParameters value) {
    return with(draft -> draft.machine = Optional.of(value));
  }

  private EngineOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options that can be changed. */
  private static final class Draft {
    private int partitions;
    private int threadsPerTask;
    private long memoryBytes;
    private Optional<Path> compilerCache;
    private Optional<Schedule> schedule;
    private boolean check;
    private boolean reproducible;
    private OperandFetch operandFetch;
    private Forms forms;
    private Optional<Resources> cluster;
    private Optional<MachineParameters> machine;

    Draft(EngineOptions from) {
      partitions = from.partitions;
      threadsPerTask = from.threadsPerTask;
      memoryBytes = from.memoryBytes;
      compilerCache = from.compilerCache;
      schedule = from.schedule;
      check = from.check;
      reproducible = from.reproducible;
      operandFetch = from.operandFetch;
      forms = from.forms;
      cluster = from.cluster;
      machine = from.machine;
    }

    EngineOptions options() {
      return new EngineOptions(
          partitions,
          threadsPerTask,
          memoryBytes,
          compilerCache,
          schedule,
          check,
          reproducible,
          operandFetch,
          forms,
          cluster,
          machine);
    }
  }
}
