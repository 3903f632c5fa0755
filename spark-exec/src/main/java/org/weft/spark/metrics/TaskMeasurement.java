package org.weft.spark.metrics;

import java.io.Serializable;
import org.apache.spark.SparkEnv;

/**
 * One timed part of one task.
 *
 * @param phase {@code fetch}, {@code pack}, {@code kernel}, {@code write}, {@code operands} (rows
 *     of operands that came to this process)
 * @param partition the partition it worked on
 * @param nanos elapsed time, ns
 * @param nonzeros entries, or rows of operands, that were processed
 * @param flops floating-point operations, or 0
 * @param bytes bytes that were touched, or 0
 * @param executor Spark's id of the process
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
    SparkEnv env = SparkEnv.get();
    return new TaskMeasurement(
        phase,
        partition,
        nanos,
        nonzeros,
        flops,
        bytes,
        env == null ? "driver" : env.executorId(),
        ProcessMemory.peakResidentBytes());
  }
}
