package org.weft.jobs.workflow;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * Runs a workflow: one step after the other, each once for the same contents. Steps that do not
 * need a failed one go on. A run that did not come to its end is gone on with, under the parameters
 * and the text of its start; contents of inputs that no step makes must be what they were.
 *
 * @param people take what happens
 * @param metrics a file for Prometheus's text format
 * @param version of the program, for the record
 */
record WorkflowRun(
    StateFolder state,
    StepCommand command,
    Consumer<String> people,
    Optional<String> metrics,
    String version) {
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

  /**
   * Starts a run.
   *
   * @param file the name of the workflow's file
   * @return the run's name
   * @throws WeftException for the first step that failed, or what kept the run from its start
   */
  String start(String file, WorkflowFile workflow) throws IOException {
    String id = NAME.format(Instant.now()) + "-" + UUID.randomUUID().toString().substring(0, 6);
    StepInputs inputs = new StepInputs(workflow, state);
    Map<String, String> external = inputs.external();
    for (WorkflowStep step : workflow.steps()) {
      for (String uri : step.when().isPresent() ? List.<String>of() : step.inputs()) {
        if (external.getOrDefault(uri, "there").equals(StepInputs.MISSING)) {
          throw new WeftException(
              ErrorCode.INPUT_NOT_FOUND,
              uri
                  + ": expected the input of step "
                  + step.id()
                  + ", found nothing; make the file, or correct its path");
        }
      }
    }
    try (Lease lease = Lease.take(state, id)) {
      Records.Run run =
          new Records.Run(
              Records.SCHEMA,
              id,
              workflow.name(),
              file,
              workflow.text(),
              workflow.parameters(),
              external,
              workflow.steps().stream().map(WorkflowStep::id).toList(),
              version,
              Instant.now().toString(),
              null,
              null);
      state.write(StateNames.run(id), run);
      steps(lease, run, workflow, inputs);
    }
    return id;
  }

  /**
   * Goes on with a run.
   *
   * @param run its name; empty for the latest
   * @param reader makes a workflow of text and parameters
   * @return the run's name
   */
  String resume(String run, BiFunction<String, Map<String, String>, WorkflowFile> reader)
      throws IOException {
    Records.Run before = find(state, run);
    WorkflowFile workflow = reader.apply(before.text(), before.parameters());
    try (Lease lease = Lease.take(state, before.id())) {
      steps(lease, before, workflow, new StepInputs(workflow, state));
    }
    return before.id();
  }

  /**
   * A run of the state.
   *
   * @param name empty for the latest
   * @throws WeftException {@code INPUT_NOT_FOUND}
   */
  static Records.Run find(StateFolder state, String name) {
    List<String> runs = state.names(StateNames.RUNS);
    for (int at = runs.size() - 1; at >= 0; at--) {
      if (name.isEmpty() || runs.get(at).equals(name)) {
        Optional<Records.Run> run = state.read(StateNames.run(runs.get(at)), Records.Run.class);
        if (run.isPresent()) {
          return run.get();
        }
      }
    }
    throw new WeftException(
        ErrorCode.INPUT_NOT_FOUND,
        state.uri()
            + ": expected "
            + (name.isEmpty() ? "a run" : "run " + name)
            + " of the workflow, found "
            + (runs.isEmpty() ? "none" : String.join(", ", runs)));
  }

  /** Where the steps of a run are. */
  static Map<String, Records.StepRun> steps(StateFolder state, Records.Run run) {
    Map<String, Records.StepRun> steps = new LinkedHashMap<>();
    for (String id : run.steps()) {
      steps.put(
          id,
          state
              .read(StateNames.step(run.id(), id), Records.StepRun.class)
              .orElseGet(() -> Records.StepRun.waiting(id)));
    }
    return steps;
  }

  /**
   * Before any step runs: what no step makes is as at the start, for all steps that are to run. A
   * step with a condition may be skipped and looks when its turn comes.
   */
  private static void requireUnchanged(
      Records.Run run,
      WorkflowFile workflow,
      StepInputs inputs,
      Map<String, Records.StepRun> steps) {
    for (WorkflowStep step : workflow.steps()) {
      Records.State before =
          steps.getOrDefault(step.id(), Records.StepRun.waiting(step.id())).state();
      boolean ended = before == Records.State.DONE || before == Records.State.SKIPPED;
      if (!ended && step.when().isEmpty()) {
        inputs.requireUnchanged(run, step);
      }
    }
  }

  private void steps(Lease lease, Records.Run run, WorkflowFile workflow, StepInputs inputs)
      throws IOException {
    int start = state.names(StateNames.RUNS + "/" + run.id()).size();
    Map<String, Records.StepRun> steps = steps(state, run);
    long began = System.nanoTime();
    try (Events events = new Events(state, StateNames.log(run.id(), start), run.id(), people)) {
      events.say("run", "info", "message", "run " + run.id() + " of workflow " + workflow.name());
      Optional<WeftException> failure = Optional.empty();
      try {
        requireUnchanged(run, workflow, inputs, steps);
        StepRunner runner = new StepRunner(state, lease, inputs, command, events, run);
        for (WorkflowStep step : workflow.steps()) {
          Records.StepRun before =
              steps.getOrDefault(step.id(), Records.StepRun.waiting(step.id()));
          Records.StepRun ended = runner.run(step, before, steps);
          steps.put(step.id(), ended);
          failure = failure.isPresent() ? failure : StepRunner.failure(run.id(), ended);
        }
      } catch (WeftException e) {
        failure = Optional.of(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        failure = Optional.of(new WeftException(ErrorCode.INTERRUPTED, "the run was interrupted"));
      }
      int status = failure.map(f -> f.code().kind().exitStatus()).orElse(0);
      lease.check();
      state.write(StateNames.run(run.id()), run.ended(Instant.now().toString(), status));
      double seconds = (System.nanoTime() - began) * 1e-9;
      events.say(
          "end",
          status == 0 ? "info" : "error",
          "status",
          status,
          "seconds",
          seconds,
          "message",
          "run " + run.id() + " ended with status " + status);
      if (metrics.isPresent()) {
        Metrics.write(state.files(), metrics.get(), workflow.name(), steps, status, seconds);
      }
      if (failure.isPresent()) {
        throw failure.get();
      }
    }
  }
}
