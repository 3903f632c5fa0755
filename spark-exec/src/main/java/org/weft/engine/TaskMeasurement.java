package org.weft.engine;

import java.io.Serializable;

/**
 * One timed part of one task.
 *
 * @param phase {@code fetch}, {@code pack}, {@code kernel}, {@code write}, {@code operands} (rows
 *     of operands that came to this process), {@code rows} (others that came)
 * @param partition the partition it worked on
 * @param nanos elapsed time, ns
 * @param nonzeros entries, or rows of operands, that were processed
 * @param flops floating-point operations, or 0
 * @param bytes bytes that were touched, of rows those that came; or 0
 * @param executor the process, as the backend names it
 * @param peakResidentBytes largest resident set of the process so far
 */
public record TaskMeasurement(
    String phase,
    int partition,
    long nanos,
    long nonzeros,
    long flops,
    long bytes,
    String executor,
    long peakResidentBytes)
    implements Serializable {

  /** A measurement made in this process. */
  public static TaskMeasurement of(
      String phase, int partition, long nanos, long nonzeros, long flops, long bytes) {
    return new TaskMeasurement(
        phase,
        partition,
        nanos,
        nonzeros,
        flops,
        bytes,
        "driver",
        ProcessMemory.peakResidentBytes());
  }

  /** The same, made in another process than the driver's. */
  public TaskMeasurement in(String process) {
    return new TaskMeasurement(
        phase, partition, nanos, nonzeros, flops, bytes, process, peakResidentBytes);
  }
}
