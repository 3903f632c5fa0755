package org.weft.engine;

/** Hears how a job advances, on the thread that runs it. */
public interface ProgressListener {
  /** A listener that ignores everything. */
  ProgressListener NONE = new ProgressListener() {};

  /** Part {@code done} of {@code total} begins; {@code description} says what it is. */
  default void step(String description, int done, int total) {}

  /** A sweep of an iterative job is over: its fit, the change since the one before, its time. */
  default void iteration(int n, double fit, double deltaFit, double seconds) {}
}
