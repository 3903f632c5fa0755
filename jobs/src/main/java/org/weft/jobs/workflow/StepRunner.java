package org.weft.jobs.workflow;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.AbandonedOutputs;
import org.weft.storage.file.Contents;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.Fingerprints;

/**
 * Runs one step of a run, or finds that the step need not run. The runner writes five things in
 * this order: the start of the step, the owner of its outputs, the outputs, the record of the
 * outputs, and the end of the step. A run that ends between any two of these things can be resumed.
 */
record StepRunner(
    StateFolder state,
    Lease lease,
    StepInputs inputs,
    StepCommand command,
    Events events,
    Records.Run run) {
  private static final int REFUSED = 2;
  private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(10);

  /**
   * Brings a step to its end.
   *
   * @param before where it was when this process came to it
   * @param steps where those before it are
   * @throws WeftException {@code INPUT_CHANGED}, {@code WORKFLOW_LOCKED}, or a fault of the state's
   *     file system
   */
  Records.StepRun run(WorkflowStep step, Records.StepRun before, Map<String, Records.StepRun> steps)
      throws IOException, InterruptedException {
    if (before.state() == Records.State.SKIPPED) {
      return before;
    }
    for (String need : step.needs()) {
      Records.StepRun needed = steps.get(need);
      if (needed != null && isFailed(needed.state())) {
        String why = needed.state() == Records.State.BLOCKED ? "did not run" : "failed";
        String note = "does not run: it needs " + need + ", which " + why;
        return end(before.with(Records.State.BLOCKED, note), "blocked", "warning");
      }
    }
    StepKey key = new StepKey(step.command(), inputs.of(step, steps, run.inputs()));
    String hash = before.state() == Records.State.DONE ? before.key() : key.hash();
    Optional<Records.Done> done = state.read(StateNames.done(hash), Records.Done.class);
    Optional<String> changed = done.flatMap(inputs::changed);
    if (done.isPresent() && changed.isEmpty()) {
      return finished(step, before.withKey(hash), done.get());
    }
    changed.ifPresent(what -> say("again", "info", step, "runs again: " + what));
    if (!before.admitted() && step.when().isPresent()) {
      Optional<String> unmet = step.when().get().unmet(state.files());
      if (unmet.isPresent()) {
        return end(before.with(Records.State.SKIPPED, unmet.get()), "skipped", "info");
      }
    }
    inputs.requireUnchanged(run, step);
    for (Map.Entry<String, String> input : key.inputs().entrySet()) {
      if (input.getValue().equals(StepInputs.MISSING)) {
        return end(
            before.ended(
                Records.State.FAILED, "input " + input.getKey() + " is missing", 0, REFUSED),
            "failed",
            "error");
      }
    }
    return attempts(step, before, key);
  }

  static boolean isFailed(Records.State state) {
    return state == Records.State.FAILED || state == Records.State.BLOCKED;
  }

  private Records.StepRun finished(WorkflowStep step, Records.StepRun before, Records.Done done) {
    if (before.state() == Records.State.DONE) {
      say("kept", "info", step.id(), "is done in this run");
      return before;
    }
    removeScratch(step, done.key());
    String where = done.run().equals(run.id()) ? "this run" : "run " + done.run();
    String why = "done in " + where + " from the same inputs by the same command";
    return end(before.ended(Records.State.DONE, why, 0, 0), "kept", "info");
  }

  private Records.StepRun attempts(WorkflowStep step, Records.StepRun before, StepKey key)
      throws IOException, InterruptedException {
    String hash = key.hash();
    Optional<String> foreign = foreignOutput(step);
    if (foreign.isPresent()) {
      String why =
          "output " + foreign.get() + " exists, and no run of this workflow made it; remove it";
      return end(
          before.withKey(hash).ended(Records.State.FAILED, why, 0, REFUSED), "failed", "error");
    }
    Records.StepRun now = before;
    String owner = AbandonedOutputs.owner(state.uri() + "\n" + step.id());
    for (int tries = 0; ; tries++) {
      long start = System.nanoTime();
      now = now.attempt(now.attempts() + 1, hash, Instant.now().toString());
      write(now);
      own(step, hash);
      removeUnfinished(step, owner);
      List<String> words = words(step, hash);
      say("started", "info", step, "runs weft " + Words.line(words));
      int attempt = now.attempts();
      int status =
          command.run(
              words,
              owner,
              step.timeout(),
              line ->
                  events.say(
                      "output", "info", "step", step.id(), "attempt", attempt, "message", line));
      double seconds = (System.nanoTime() - start) * 1e-9;
      if (status == 0) {
        requireUnchanged(step, now, seconds);
        return made(step, key, now, seconds);
      }
      String why =
          status == StepCommand.TIMED_OUT
              ? "took longer than " + step.timeout().toMillis() / 1000.0 + " s"
              : "ended with status " + status;
      if (status == REFUSED || tries >= step.retries()) {
        return end(now.ended(Records.State.FAILED, why, seconds, status), "failed", "error");
      }
      Duration pause = backoff(step, tries);
      say("retry", "warning", step, why + "; tries again in " + pause.toMillis() / 1000.0 + " s");
      Thread.sleep(pause.toMillis());
    }
  }

  /** A step that read what changed is not done, and no longer at work. */
  private void requireUnchanged(WorkflowStep step, Records.StepRun now, double seconds) {
    try {
      inputs.requireUnchanged(run, step);
    } catch (WeftException e) {
      if (e.code() == ErrorCode.INPUT_CHANGED) {
        int status = e.code().kind().exitStatus();
        String why = "an input changed while it ran";
        end(now.ended(Records.State.FAILED, why, seconds, status), "failed", "error");
      }
      throw e;
    }
  }

  private static Duration backoff(WorkflowStep step, int tries) {
    Duration pause = step.backoff().multipliedBy(1L << Math.min(tries, 20));
    return pause.compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : pause;
  }

  /** An output that is there and is not a step's of this workflow. */
  private Optional<String> foreignOutput(WorkflowStep step) throws IOException {
    for (String uri : step.outputs()) {
      if (exists(uri)
          && state.read(StateNames.owned(qualified(uri)), Records.Owner.class).isEmpty()) {
        return Optional.of(uri);
      }
    }
    return Optional.empty();
  }

  private boolean exists(String uri) throws IOException {
    Path path = state.files().path(uri);
    return state.files().fileSystem(path).exists(path);
  }

  private String qualified(String uri) {
    return state.files().path(uri).toString();
  }

  /**
   * Once for an output: a record that is replaced is away for a moment, and a kill may come then.
   */
  private void own(WorkflowStep step, String hash) {
    for (String uri : step.outputs()) {
      String name = StateNames.owned(qualified(uri));
      lease.check();
      state.create(name, new Records.Owner(qualified(uri), step.id(), hash, run.id()));
    }
  }

  /** What attempts that were killed left beside their outputs: nobody else knows that they died. */
  private void removeUnfinished(WorkflowStep step, String owner) {
    for (List<String> uris : List.of(step.outputs(), step.updates())) {
      uris.forEach(uri -> AbandonedOutputs.removeOf(state.files(), uri, owner));
    }
  }

  private List<String> words(WorkflowStep step, String hash) throws IOException {
    List<String> words = new ArrayList<>();
    for (String word : step.command()) {
      words.add(word.replace("${" + Words.STEP_KEY + "}", StepKey.shown(hash)));
    }
    boolean present = false;
    for (String uri : step.outputs()) {
      present = present || exists(uri);
    }
    if (present && !words.contains("--overwrite")) {
      words.add(1, "--overwrite");
    }
    return words;
  }

  private Records.StepRun made(WorkflowStep step, StepKey key, Records.StepRun now, double seconds)
      throws IOException {
    Fingerprints fingerprints = new Fingerprints(state.files());
    List<Records.Made> made = new ArrayList<>();
    for (String uri : step.outputs()) {
      Optional<Contents> contents = fingerprints.of(uri);
      if (contents.isEmpty()) {
        String why = "ended with status 0, but made no " + uri;
        return end(now.ended(Records.State.FAILED, why, seconds, REFUSED), "failed", "error");
      }
      made.add(new Records.Made(uri, contents.get().bytes(), contents.get().sum()));
    }
    lease.check();
    state.write(
        StateNames.done(now.key()),
        new Records.Done(
            Records.SCHEMA,
            step.id(),
            now.key(),
            step.line(),
            key.inputs(),
            made,
            step.updates(),
            run.id(),
            Instant.now().toString()));
    removeScratch(step, now.key());
    return end(now.ended(Records.State.DONE, "done", seconds, 0), "done", "info");
  }

  private void removeScratch(WorkflowStep step, String hash) {
    for (String uri : step.scratch()) {
      Path path = state.files().path(uri.replace("${" + Words.STEP_KEY + "}", StepKey.shown(hash)));
      try {
        state.files().fileSystem(path).delete(path, true);
      } catch (IOException e) {
        throw FileAccess.unavailable(uri, e);
      }
    }
  }

  private Records.StepRun end(Records.StepRun step, String event, String level) {
    write(step);
    if (step.seconds() > 0) {
      events.say(
          event,
          level,
          "step",
          step.id(),
          "attempt",
          step.attempts(),
          "key",
          step.key(),
          "seconds",
          step.seconds(),
          "status",
          step.exit(),
          "message",
          step.reason());
    } else {
      say(event, level, step.id(), step.reason());
    }
    return step;
  }

  private void say(String event, String level, WorkflowStep step, String message) {
    say(event, level, step.id(), message);
  }

  private void say(String event, String level, String step, String message) {
    events.say(event, level, "step", step, "message", message);
  }

  private void write(Records.StepRun step) {
    lease.check();
    state.write(StateNames.step(run.id(), step.id()), step);
  }

  /** The error that a run ends with because of a step; empty if the step is well. */
  static Optional<WeftException> failure(String run, Records.StepRun step) {
    if (step.state() != Records.State.FAILED) {
      return Optional.empty();
    }
    ErrorCode code =
        step.exit() == REFUSED
            ? ErrorCode.STEP_REFUSED
            : step.exit() == StepCommand.TIMED_OUT ? ErrorCode.STEP_TIMEOUT : ErrorCode.STEP_FAILED;
    String advice =
        code == ErrorCode.STEP_REFUSED
            ? "correct the command or its input and start a new run"
            : "go on with 'weft workflow resume'";
    return Optional.of(
        new WeftException(
            code, "run " + run + ", step " + step.id() + ": " + step.reason() + "; " + advice));
  }
}
