package org.weft.spark;

import org.weft.error.WeftException;

/** Finds our own error in what Spark throws for a failed job. */
final class Failures {
  private static final String MARK = WeftException.class.getName() + ": ";

  private Failures() {}

  /**
   * The {@link WeftException} that made a task fail, if it came over as a cause; otherwise {@code
   * failure} itself.
   */
  static RuntimeException unwrap(RuntimeException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof WeftException weft) {
        return weft;
      }
    }
    return failure;
  }
}
