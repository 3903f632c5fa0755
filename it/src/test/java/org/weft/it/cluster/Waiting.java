package org.weft.it.cluster;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Polling with a limit. */
final class Waiting {
  private Waiting() {}

  /** Polls until the condition holds; false when the limit passes first. */
  static boolean until(Duration limit, Duration pause, BooleanSupplier condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      try {
        Thread.sleep(pause.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting", e);
      }
    }
    return true;
  }
}
