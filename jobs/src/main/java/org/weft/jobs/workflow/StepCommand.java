package org.weft.jobs.workflow;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Runs the command of a step. */
interface StepCommand {
  /** The status of an attempt that took too long. */
  int TIMED_OUT = -1;

  /**
   * Runs to the end.
   *
   * @param words of a weft command
   * @param owner of the outputs, by which those that a killed command left are known
   * @param timeout zero for none
   * @param lines take what it says
   * @return its exit status, or {@link #TIMED_OUT}
   */
  int run(List<String> words, String owner, Duration timeout, Consumer<String> lines)
      throws IOException, InterruptedException;
}
