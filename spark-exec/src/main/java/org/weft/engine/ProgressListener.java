package org.weft.engine;

import org.weft.decomposition.Method;

/** Hears how a job advances, on the thread that runs it. */
public interface ProgressListener {
  /** A listener that ignores everything. */
  ProgressListener NONE = new ProgressListener() {};

  /** Part {@code done} of {@code total} begins; {@code description} says what it is. */
  default void step(String description, int done, int total) {}

  /** What hears of the sweeps of a method. */
  default Method.Observer observer(Method<?> method) {
    return (n, value, change, seconds) -> iteration(n, method.measure(), value, change, seconds);
  }

  /** As {@link #iteration(int, double, double, double)} with a measure that need not be the fit. */
  default void iteration(int n, String measure, double value, double change, double seconds) {
    iteration(n, value, change, seconds);
  }

  /** A sweep of an iterative job is over: its fit, the change since the one before, its time. */
  default void iteration(int n, double fit, double deltaFit, double seconds) {}
}
