package org.weft.jobs.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Another program's processes for a kernel, a tensor and a rank: one for each number of threads.
 */
final class OtherPrograms implements AutoCloseable {
  private final Map<Integer, OtherProgram> byThreads = new HashMap<>();

  /**
   * Starts what {@code workloads} need, and warms it up; nothing without a command, or where it
   * lacks the kernel.
   *
   * @param rank 0 where the kernel has none
   */
  OtherPrograms(Optional<String> command, String tensor, int rank, List<Workload> workloads) {
    if (command.isEmpty()) {
      return;
    }
    try {
      for (Workload workload : workloads) {
        if (!byThreads.containsKey(workload.threads())) {
          start(command.get(), tensor, rank, workload);
        }
        seconds(workload);
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void start(String command, String tensor, int rank, Workload workload) {
    OtherProgram.start(command, workload.kernel(), tensor, workload.threads(), rank)
        .ifPresent(program -> byThreads.put(workload.threads(), program));
  }

  /** Seconds of one run of what {@code workload} computes; NaN without a program for it. */
  double seconds(Workload workload) {
    @Nullable OtherProgram program = byThreads.get(workload.threads());
    return program == null ? Double.NaN : program.seconds(workload.mode());
  }

  @Override
  public void close() {
    byThreads.values().forEach(OtherProgram::close);
  }
}
