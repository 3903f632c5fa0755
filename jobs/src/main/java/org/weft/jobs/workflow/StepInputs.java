package org.weft.jobs.workflow;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.Contents;
import org.weft.storage.file.Fingerprints;

/** The contents of what steps depend on, as keys have them. */
final class StepInputs {
  /** Stands for what is not there. */
  static final String MISSING = "";

  private final WorkflowFile workflow;
  private final StateFolder state;
  private final Fingerprints fingerprints;

  /** Stamps of what was found to be as at the start of the run. */
  private final Map<String, String> looked = new HashMap<>();

  StepInputs(WorkflowFile workflow, StateFolder state) {
    this.workflow = workflow;
    this.state = state;
    this.fingerprints = new Fingerprints(state.files());
  }

  String now(String uri) {
    return fingerprints.of(uri).map(Contents::toString).orElse(MISSING);
  }

  /** What no step makes, as it is now. */
  Map<String, String> external() {
    Map<String, String> external = new TreeMap<>();
    for (String uri : workflow.externalInputs()) {
      looked.put(uri, fingerprints.stamp(uri));
      external.put(uri, now(uri));
    }
    return external;
  }

  /**
   * The contents of a step's inputs: what a step before made as it recorded it, and what a step
   * changed in place by that step's key.
   *
   * @param steps where the steps before are
   * @param external contents of what no step makes
   */
  Map<String, String> of(
      WorkflowStep step, Map<String, Records.StepRun> steps, Map<String, String> external) {
    Map<String, String> inputs = new TreeMap<>();
    for (String uri : step.inputs()) {
      Optional<WorkflowStep> maker = workflow.maker(uri, step);
      Records.StepRun made = maker.map(m -> steps.get(m.id())).orElse(null);
      if (maker.isEmpty()) {
        inputs.put(uri, external.getOrDefault(uri, MISSING));
      } else if (made == null || made.state() != Records.State.DONE) {
        inputs.put(uri, now(uri));
      } else if (maker.get().changes(uri)) {
        inputs.put(uri, "step:" + made.key());
      } else {
        inputs.put(uri, recorded(uri, made.key()).orElseGet(() -> now(uri)));
      }
    }
    return inputs;
  }

  private Optional<String> recorded(String uri, String key) {
    return state.read(StateNames.done(key), Records.Done.class).stream()
        .flatMap(done -> done.outputs().stream())
        .filter(made -> made.uri().equals(uri))
        .map(made -> new Contents(made.bytes(), made.sum()).toString())
        .findFirst();
  }

  /**
   * What is no longer as a record says; empty if all is.
   *
   * @param done what a step made
   */
  Optional<String> changed(Records.Done done) {
    for (Records.Made made : done.outputs()) {
      Optional<Contents> found = fingerprints.of(made.uri());
      if (found.isEmpty()) {
        return Optional.of(made.uri() + " is gone");
      }
      if (!found.get().equals(new Contents(made.bytes(), made.sum()))) {
        return Optional.of(made.uri() + " is not as the step left it");
      }
    }
    for (String uri : done.updates()) {
      if (fingerprints.stamp(uri).isEmpty()) {
        return Optional.of(uri + " is gone");
      }
    }
    return Optional.empty();
  }

  /**
   * Looks at inputs that no step makes once more.
   *
   * @param run with their contents at its start
   * @throws WeftException {@code INPUT_CHANGED}
   */
  void requireUnchanged(Records.Run run, WorkflowStep step) {
    for (String uri : step.inputs()) {
      String stamp = fingerprints.stamp(uri);
      if (workflow.maker(uri, step).isPresent() || stamp.equals(looked.get(uri))) {
        continue;
      }
      String before = run.inputs().getOrDefault(uri, MISSING);
      String found = now(uri);
      if (!found.equals(before)) {
        throw new WeftException(
            ErrorCode.INPUT_CHANGED,
            String.format(
                Locale.ROOT,
                "%s: expected the input of step %s as at the start of run %s (%s), found %s; start"
                    + " a new run with 'weft workflow run', which keeps what is still right",
                uri,
                step.id(),
                run.id(),
                said(before),
                said(found)));
      }
      looked.put(uri, stamp);
    }
  }

  private static String said(String contents) {
    return contents.equals(MISSING) ? "nothing" : contents;
  }
}
