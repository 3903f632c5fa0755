package org.weft.spark;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How an engine works.
 *
 * @param partitions per mode; 0 lets the planner choose from memory and cores
 * @param threadsPerTask threads of one kernel call; 0 takes {@code spark.task.cpus}
 * @param compilerCache folder of the persistent kernel cache, if any
 */
public record EngineOptions(int partitions, int threadsPerTask, Optional<Path> compilerCache) {
  public EngineOptions {
    if (partitions < 0 || threadsPerTask < 0) {
      throw new IllegalArgumentException(
          "negative partitions or threads: " + partitions + ", " + threadsPerTask);
    }
  }

  /** Everything automatic, no persistent cache. */
  public static EngineOptions defaults() {
    return new EngineOptions(0, 0, Optional.empty());
  }

  public EngineOptions withPartitions(int value) {
    return new EngineOptions(value, threadsPerTask, compilerCache);
  }

  public EngineOptions withThreadsPerTask(int value) {
    return new EngineOptions(partitions, value, compilerCache);
  }

  public EngineOptions withCompilerCache(Path folder) {
    return new EngineOptions(partitions, threadsPerTask, Optional.of(folder));
  }
}
