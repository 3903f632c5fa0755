package org.weft.engine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.weft.planner.job.Job;

/**
 * What a job took.
 *
 * <p>Phases are elapsed time on the driver's clock and add up to about the whole: {@code read}
 * (parse, count and cache, once per tensor), {@code reorder} (find an order, or decide that none
 * pays; once per tensor), {@code shuffle} (to partitions), {@code pack} and {@code kernel} (task
 * time over the tasks that run at once), {@code compile} (plan included), {@code merge} (what a
 * step takes beyond its kernels: scheduling, broadcast, sums, linear algebra), {@code write}.
 *
 * @param phaseNanos elapsed ns by phase
 * @param nonzeros entries of the tensor after duplicates were summed
 * @param partitions of the first mode
 * @param nonzerosPerSecond of the kernels over their own time, summed over concurrent tasks
 * @param kernelGflops as above, 1e9 floating-point operations per second
 * @param kernelGbps as above, 1e9 bytes of operands and results per second
 * @param steps each kernel against its prediction
 * @param operandRowsFetched rows of operands that travelled to a process, summed over processes and
 *     steps
 * @param exchangedBytes bytes of rows that processes got from each other in steps of a method, by
 *     whatever kernel or sum; not the blocks of Spark's shuffles and broadcasts
 * @param laterExchangedBytes of these, what steps exchanged after their first execution
 * @param packedBytes bytes of the partitions that were packed for the job, all forms together
 * @param peakMemoryBytes largest resident sets of all processes, added up
 */
public record JobReport(
    Job job,
    Map<String, Long> phaseNanos,
    long nonzeros,
    int partitions,
    double nonzerosPerSecond,
    double kernelGflops,
    double kernelGbps,
    List<StepReport> steps,
    long operandRowsFetched,
    long exchangedBytes,
    long laterExchangedBytes,
    long packedBytes,
    long peakMemoryBytes) {
  public JobReport {
    phaseNanos = new LinkedHashMap<>(phaseNanos);
    steps = List.copyOf(steps);
  }

  /**
   * Bytes as {@link #exchangedBytes} of one of the iterations after the first; of the first, if
   * there is no other. The first exchanges less: processes know the rows that it starts from.
   */
  public double exchangedBytesPerIteration(int iterations) {
    return iterations > 1 ? laterExchangedBytes / (iterations - 1.0) : exchangedBytes;
  }

  /** Elapsed seconds of a phase; 0 if it did not occur. */
  public double seconds(String phase) {
    return phaseNanos.getOrDefault(phase, 0L) * 1e-9;
  }
}
