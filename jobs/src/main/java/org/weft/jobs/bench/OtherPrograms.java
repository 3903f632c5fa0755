package org.weft.jobs.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Another program's processes for a kernel, a tensor and a rank: one for each number of threads.
 */
final class OtherPrograms implements AutoCloseable {
  /** Empty where it lacks the kernel. */
  private final Map<Integer, Optional<OtherProgram>> byThreads = new HashMap<>();

  /**
   * Starts what {@code workloads} need; nothing without a command.
   *
   * @param rank 0 where the kernel has none
   */
  OtherPrograms(Optional<String> command, String tensor, int rank, List<Workload> workloads) {
    try {
      for (Workload workload : workloads) {
        command.ifPresent(
            words ->
                byThreads.computeIfAbsent(
                    workload.threads(),
                    threads ->
                        OtherProgram.start(words, workload.kernel(), tensor, threads, rank)));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Seconds of one run of what {@code workload} computes; NaN without a program for it. */
  double seconds(Workload workload) {
    Optional<OtherProgram> program = byThreads.getOrDefault(workload.threads(), Optional.empty());
    return program.isPresent() ? program.get().seconds(workload.mode()) : Double.NaN;
  }

  @Override
  public void close() {
    byThreads.values().forEach(program -> program.ifPresent(OtherProgram::close));
  }
}
