package org.weft.engine;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.weft.planner.PlannerOptions;
import org.weft.planner.machine.Resources;

/**
 * How an engine works: what it plans, and with which memory, threads and files its plans run.
 *
 * @param planner what kernels are made and for which machine
 * @param threadsPerTask threads of one kernel call; 0 takes {@code spark.task.cpus}
 * @param memoryBytes off the heap that tensors may fill in one process; 0 for most of the machine's
 * @param compilerCache folder of the persistent kernel cache, if any
 * @param check whether kernels check every access
 * @param optimisation of kernels, LLVM's level, 0 to 3. Less than 3 is for statements that run once
 *     on few entries: at 0 a kernel is made in an eighth of the time, and is many times slower
 * @param cluster to plan for; empty for the one that jobs run on
 */
public record EngineOptions(
    PlannerOptions planner,
    int threadsPerTask,
    long memoryBytes,
    Optional<Path> compilerCache,
    boolean check,
    int optimisation,
    Optional<Resources> cluster) {
  public EngineOptions {
    if (threadsPerTask < 0 || memoryBytes < 0) {
      throw new IllegalArgumentException(
          "negative threads or bytes: " + threadsPerTask + ", " + memoryBytes);
    }
  }

  /**
   * Everything automatic. Kernels are kept in the folder that the environment variable {@code
   * WEFT_KERNEL_CACHE} names, and not kept if it is not set.
   */
  public static EngineOptions defaults() {
    return new EngineOptions(
        PlannerOptions.defaults(),
        0,
        0,
        Optional.ofNullable(System.getenv("WEFT_KERNEL_CACHE"))
            .filter(folder -> !folder.isEmpty())
            .map(Path::of),
        false,
        3,
        Optional.empty());
  }

  /** With other choices of the planner: {@code planning(p -> p.withPartitions(4))}. */
  public EngineOptions planning(UnaryOperator<PlannerOptions> change) {
    return new EngineOptions(
        change.apply(planner),
        threadsPerTask,
        memoryBytes,
        compilerCache,
        check,
        optimisation,
        cluster);
  }

  public EngineOptions withThreadsPerTask(int value) {
    return new EngineOptions(
        planner, value, memoryBytes, compilerCache, check, optimisation, cluster);
  }

  public EngineOptions withMemoryBytes(long value) {
    return new EngineOptions(
        planner, threadsPerTask, value, compilerCache, check, optimisation, cluster);
  }

  public EngineOptions withOptimisation(int level) {
    return new EngineOptions(
        planner, threadsPerTask, memoryBytes, compilerCache, check, level, cluster);
  }

  /** For plans that are looked at and not run. */
  public EngineOptions withCluster(Resources value) {
    return new EngineOptions(
        planner,
        threadsPerTask,
        memoryBytes,
        compilerCache,
        check,
        optimisation,
        Optional.of(value));
  }
}
