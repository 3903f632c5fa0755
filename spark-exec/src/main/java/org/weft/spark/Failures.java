package org.weft.spark;

import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Finds our own error in what Spark throws for a failed job. */
public final class Failures {
  private Failures() {}

  /**
   * The {@link WeftException} that made a task fail; otherwise {@code failure} itself if it is
   * unchecked, or an error that carries it (Spark's exceptions are checked but undeclared).
   */
  public static RuntimeException unwrap(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof WeftException weft) {
        return weft;
      }
    }
    if (failure instanceof RuntimeException unchecked) {
      return unchecked;
    }
    String message = String.valueOf(failure.getMessage());
    int end = message.indexOf('\n');
    return new WeftException(
        ErrorCode.INTERNAL,
        "a Spark job failed: "
            + (end < 0 ? message : message.substring(0, end))
            + "; the executors' logs say more",
        failure);
  }
}
