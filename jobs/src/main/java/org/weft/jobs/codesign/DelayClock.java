package org.weft.jobs.codesign;

import java.util.function.LongToDoubleFunction;

/**
 * The processor's time-stamp counter as a clock for waits.
 *
 * @param ticksPerSecond of the counter
 * @param leastSeconds that the shortest wait takes: reading the counter twice
 */
record DelayClock(double ticksPerSecond, double leastSeconds) {
  private static final long MANY = 4000;

  /**
   * Compares the counter with the clock of this process.
   *
   * @param none seconds of what is around a wait
   * @param seconds of a wait of so many ticks and what is around it
   */
  static DelayClock calibrated(double none, LongToDoubleFunction seconds) {
    double one = seconds.applyAsDouble(1);
    double many = seconds.applyAsDouble(MANY);
    double rate = (MANY - 1) / Math.max(1e-12, many - one);
    return new DelayClock(rate, Math.max(0, one - none));
  }

  /** Whether a wait can be as short. */
  boolean reaches(double seconds) {
    return seconds >= leastSeconds;
  }

  /** The ticks of a wait; at least 1. */
  long ticks(double seconds) {
    return Math.max(1, Math.round((seconds - leastSeconds) * ticksPerSecond));
  }
}
