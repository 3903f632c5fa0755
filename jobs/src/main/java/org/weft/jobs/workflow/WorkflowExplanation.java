package org.weft.jobs.workflow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a run would do with each step, and why: what differs from the last time it was done. */
final class WorkflowExplanation {
  private static final String UNKNOWN = "known after step ";

  private final StateFolder state;
  private final WorkflowFile workflow;
  private final StepInputs inputs;

  WorkflowExplanation(StateFolder state, WorkflowFile workflow) {
    this.state = state;
    this.workflow = workflow;
    this.inputs = new StepInputs(workflow, state);
  }

  /** A line for each step, and one for each reason. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    Map<String, Records.StepRun> steps = new HashMap<>();
    Map<String, String> external = inputs.external();
    for (WorkflowStep step : workflow.steps()) {
      StepKey key = key(step, steps, external);
      String hash = key.hash();
      Optional<Records.Done> done = state.read(StateNames.done(hash), Records.Done.class);
      Optional<String> changed = done.flatMap(inputs::changed);
      Records.StepRun waiting = Records.StepRun.waiting(step.id()).withKey(hash);
      if (done.isPresent() && changed.isEmpty()) {
        steps.put(step.id(), waiting.with(Records.State.DONE, ""));
        lines.add(step.id() + ": kept, done in run " + done.get().run());
        continue;
      }
      steps.put(step.id(), waiting);
      lines.add(step.id() + ": runs weft " + step.line());
      step.when().ifPresent(when -> lines.add("  if " + when.text()));
      changed.ifPresent(what -> lines.add("  " + what));
      if (changed.isEmpty()) {
        differences(step, key).forEach(difference -> lines.add("  " + difference));
      }
    }
    return lines;
  }

  private StepKey key(
      WorkflowStep step, Map<String, Records.StepRun> steps, Map<String, String> external) {
    Map<String, String> contents = inputs.of(step, steps, external);
    for (String uri : step.inputs()) {
      workflow
          .maker(uri, step)
          .filter(maker -> !isDone(steps.get(maker.id())))
          .ifPresent(maker -> contents.put(uri, UNKNOWN + maker.id()));
    }
    return new StepKey(step.command(), contents);
  }

  private static boolean isDone(Records.@Nullable StepRun step) {
    return step != null && step.state() == Records.State.DONE;
  }

  private List<String> differences(WorkflowStep step, StepKey key) {
    Optional<Records.Done> last =
        state.names(StateNames.DONE).stream()
            .flatMap(name -> state.read(StateNames.DONE + "/" + name, Records.Done.class).stream())
            .filter(done -> done.step().equals(step.id()))
            .max(Comparator.comparing(Records.Done::ended));
    if (last.isEmpty()) {
      return List.of("it was never done");
    }
    List<String> differences = new ArrayList<>();
    if (!last.get().command().equals(step.line())) {
      differences.add("the command was weft " + last.get().command());
    }
    TreeSet<String> uris = new TreeSet<>(key.inputs().keySet());
    uris.addAll(last.get().inputs().keySet());
    for (String uri : uris) {
      String was = last.get().inputs().getOrDefault(uri, "no input");
      String is = key.inputs().getOrDefault(uri, "no input");
      if (is.startsWith(UNKNOWN)) {
        differences.add("input " + uri + ": " + is);
      } else if (!was.equals(is)) {
        differences.add(
            "input " + uri + ": was " + was + ", is " + (is.isEmpty() ? "missing" : is));
      }
    }
    return differences;
  }
}
