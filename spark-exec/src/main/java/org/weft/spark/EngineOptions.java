package org.weft.spark;

import java.nio.file.Path;
import java.util.Optional;
import org.weft.compiler.Schedule;
import org.weft.planner.Forms;
import org.weft.planner.MachineParameters;

/**
 * How an engine works.
 *
 * @param partitions per mode; 0 lets the planner choose from memory and cores
 * @param threadsPerTask threads of one kernel call; 0 takes {@code spark.task.cpus}
 * @param compilerCache folder of the persistent kernel cache, if any
 * @param schedule of every kernel; empty lets the planner choose
 * @param check whether kernels check every access
 * @param reproducible whether results are the same bits on any number of cores, for as long as
 *     memory does not demand more partitions
 * @param operandFetch how operands get to the processes that read them
 * @param forms of the tensor that decompositions keep
 * @param machine that kernels are planned for; empty for the driver's, or for any machine if
 *     results are to be reproducible
 */
public record EngineOptions(
    int partitions,
    int threadsPerTask,
    Optional<Path> compilerCache,
    Optional<Schedule> schedule,
    boolean check,
    boolean reproducible,
    OperandFetch operandFetch,
    Forms forms,
    Optional<MachineParameters> machine) {
  public EngineOptions {
    if (partitions < 0 || threadsPerTask < 0) {
      throw new IllegalArgumentException(
          "negative partitions or threads: " + partitions + ", " + threadsPerTask);
    }
  }

  /** Everything automatic, no persistent cache. */
  public static EngineOptions defaults() {
    return new EngineOptions(
        0,
        0,
        Optional.empty(),
        Optional.empty(),
        false,
        false,
        OperandFetch.AUTO,
        Forms.AUTO,
        Optional.empty());
  }

  public EngineOptions withPartitions(int value) {
    return new EngineOptions(
        value,
        threadsPerTask,
        compilerCache,
        schedule,
        check,
        reproducible,
        operandFetch,
        forms,
        machine);
  }

  public EngineOptions withThreadsPerTask(int value) {
    return new EngineOptions(
        partitions,
        value,
        compilerCache,
        schedule,
        check,
        reproducible,
        operandFetch,
        forms,
        machine);
  }

  public EngineOptions withCompilerCache(Path folder) {
    return new EngineOptions(
        partitions,
        threadsPerTask,
        Optional.of(folder),
        schedule,
        check,
        reproducible,
        operandFetch,
        forms,
        machine);
  }

  public EngineOptions withSchedule(Optional<Schedule> value) {
    return new EngineOptions(
        partitions,
        threadsPerTask,
        compilerCache,
        value,
        check,
        reproducible,
        operandFetch,
        forms,
        machine);
  }

  public EngineOptions withCheck(boolean value) {
    return new EngineOptions(
        partitions,
        threadsPerTask,
        compilerCache,
        schedule,
        value,
        reproducible,
        operandFetch,
        forms,
        machine);
  }

  public EngineOptions withOperandFetch(OperandFetch value) {
    return new EngineOptions(
        partitions,
        threadsPerTask,
        compilerCache,
        schedule,
        check,
        reproducible,
        value,
        forms,
        machine);
  }

  public EngineOptions withReproducible(boolean value) {
    return new EngineOptions(
        partitions,
        threadsPerTask,
        compilerCache,
        schedule,
        check,
        value,
        operandFetch,
        forms,
        machine);
  }

  public EngineOptions withForms(Forms value) {
    return new EngineOptions(
        partitions,
        threadsPerTask,
        compilerCache,
        schedule,
        check,
        reproducible,
        operandFetch,
        value,
        machine);
  }

  public EngineOptions withMachine(MachineParameters value) {
    return new EngineOptions(
        partitions,
        threadsPerTask,
        compilerCache,
        schedule,
        check,
        reproducible,
        operandFetch,
        forms,
        Optional.of(value));
  }
}
