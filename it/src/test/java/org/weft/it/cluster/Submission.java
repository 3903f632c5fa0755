package org.weft.it.cluster;

import java.time.Duration;

/**
 * A submission that has ended.
 *
 * @param exitCode the driver JVM's exit status
 * @param standardOutput what it printed to standard output
 * @param standardError what it printed to standard error, Spark's log among it
 * @param elapsed wall time from the start of the process
 * @param peakMemoryBytes the driver process's VmHWM as last seen, 0 when never seen
 */
public record Submission(
    int exitCode,
    String standardOutput,
    String standardError,
    Duration elapsed,
    long peakMemoryBytes) {

  /** Everything a failed assertion should show. */
  public String transcript() {
    return "exit "
        + exitCode
        + " after "
        + elapsed.toMillis()
        + " ms\n--- standard output\n"
        + standardOutput
        + "\n--- standard error (end)\n"
        + standardError.substring(Math.max(0, standardError.length() - 20_000));
  }
}
