package org.weft.jobs.workflow;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a {@link StateFolder} keeps, as JSON. Times are ISO 8601 in UTC. */
final class Records {
  static final int SCHEMA = 1;

  private Records() {}

  /** Where a step or a run is. */
  enum State {
    WAITING,
    RUNNING,
    DONE,
    /** Its condition did not hold. */
    SKIPPED,
    FAILED,
    /** A step that it needs has failed. */
    BLOCKED
  }

  /**
   * One run, written before its first step.
   *
   * @param file the workflow file's name
   * @param text its contents
   * @param inputs contents of what no step makes; the empty text if it is missing
   * @param status of the process; null while the run goes on, or if it died
   */
  record Run(
      int schema,
      String id,
      String workflow,
      String file,
      String text,
      Map<String, String> parameters,
      Map<String, String> inputs,
      List<String> steps,
      String version,
      String started,
      @Nullable String ended,
      @Nullable Integer status) {
    Run ended(String at, int exit) {
      return new Run(
          schema, id, workflow, file, text, parameters, inputs, steps, version, started, at, exit);
    }
  }

  /**
   * One step of a run.
   *
   * @param key empty before it is known
   * @param admitted whether its condition held once, which it need not do when the run goes on
   * @param reason why it is where it is
   * @param exit status of the last attempt; -1 without one, or after a timeout
   */
  record StepRun(
      String id,
      State state,
      int attempts,
      String key,
      boolean admitted,
      String reason,
      String started,
      double seconds,
      int exit) {
    static StepRun waiting(String id) {
      return new StepRun(id, State.WAITING, 0, "", false, "", "", 0, -1);
    }

    StepRun with(State to, String why) {
      return new StepRun(id, to, attempts, key, admitted, why, started, seconds, exit);
    }

    StepRun attempt(int number, String withKey, String at) {
      return new StepRun(
          id, State.RUNNING, number, withKey, true, "attempt " + number, at, seconds, -1);
    }

    StepRun withKey(String known) {
      return new StepRun(id, state, attempts, known, admitted, reason, started, seconds, exit);
    }

    StepRun ended(State to, String why, double took, int status) {
      return new StepRun(id, to, attempts, key, admitted, why, started, took, status);
    }
  }

  /** Something that a step made. */
  record Made(String uri, long bytes, String sum) {}

  /** That a command was run on inputs, and what it made. Its name is the step's key. */
  record Done(
      int schema,
      String step,
      String key,
      String command,
      Map<String, String> inputs,
      List<Made> outputs,
      List<String> updates,
      String run,
      String ended) {}

  /** That the file or folder at a place is a step's, to be replaced; written before it is made. */
  record Owner(String uri, String step, String key, String run) {}
}
