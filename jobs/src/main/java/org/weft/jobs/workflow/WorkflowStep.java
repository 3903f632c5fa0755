package org.weft.jobs.workflow;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One command of a workflow, its parameters filled in.
 *
 * @param command words of a weft command, without {@code weft}; may contain {@code ${step.key}}
 * @param inputs what the result depends on
 * @param uses what is read, but is no reason to run again
 * @param outputs what the command makes; whole files or folders
 * @param updates what the command changes in place, such that running it again does nothing
 * @param scratch what the command keeps until it is done; with {@code ${step.key}} in its name
 * @param needs steps that have to be done before, those that make inputs among them
 * @param when whether to run
 * @param retries further attempts after a transient fault
 * @param backoff before the first retry; doubled before each further one
 * @param timeout of one attempt; zero for none
 */
record WorkflowStep(
    String id,
    List<String> command,
    List<String> inputs,
    List<String> uses,
    List<String> outputs,
    List<String> updates,
    List<String> scratch,
    List<String> needs,
    Optional<Condition> when,
    int retries,
    Duration backoff,
    Duration timeout,
    Position position) {
  WorkflowStep {
    command = List.copyOf(command);
    inputs = List.copyOf(inputs);
    uses = List.copyOf(uses);
    outputs = List.copyOf(outputs);
    updates = List.copyOf(updates);
    scratch = List.copyOf(scratch);
    needs = List.copyOf(needs);
  }

  /** With all the steps that it needs. */
  WorkflowStep withNeeds(List<String> all) {
    return new WorkflowStep(
        id, command, inputs, uses, outputs, updates, scratch, all, when, retries, backoff, timeout,
        position);
  }

  /** Whether the command makes a file or folder, by itself or as a part of an output. */
  boolean makes(String uri) {
    return outputs.stream().anyMatch(output -> isIn(uri, output));
  }

  /** Whether the command changes a file or folder in place, by itself or as a part. */
  boolean changes(String uri) {
    return updates.stream().anyMatch(changed -> isIn(uri, changed));
  }

  /** Whether one location is another, or lies in it. */
  static boolean isIn(String uri, String folder) {
    return uri.equals(folder) || uri.startsWith(folder.endsWith("/") ? folder : folder + "/");
  }

  /** The command as a shell would take it. */
  String line() {
    return Words.line(command);
  }
}
