package org.weft.jobs.report;

import java.util.List;
import java.util.Map;

/**
 * What the page of a workflow's run shows.
 *
 * @param workflow its name
 * @param how one sentence about the run's end, or where it is
 * @param run names and values, in the order of the page
 * @param steps in the order of the workflow
 * @param events lines of the log for people
 * @param failed whether a step failed
 * @param runs the latest runs, the oldest first
 */
public record RunFigures(
    String workflow,
    String how,
    Map<String, String> run,
    List<Step> steps,
    List<String> events,
    boolean failed,
    List<Past> runs) {
  public RunFigures {
    steps = List.copyOf(steps);
    events = List.copyOf(events);
    runs = List.copyOf(runs);
  }

  /**
   * One step.
   *
   * @param state in one word
   * @param begins seconds after the run began; NaN if it did not run
   * @param seconds of the last attempt
   * @param reason why it is where it is
   */
  public record Step(
      String id,
      String state,
      String command,
      int attempts,
      double begins,
      double seconds,
      String reason,
      List<Output> outputs) {}

  /** Something that a step made. */
  public record Output(String uri, long bytes) {}

  /**
   * A run of the same workflow.
   *
   * @param status of the process; -1 if it has not ended
   * @param seconds of all its steps
   */
  public record Past(String id, String parameters, int status, double seconds) {}
}
