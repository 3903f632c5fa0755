package org.weft.jobs.workflow;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.error.WeftException;
import org.weft.jobs.report.RunFigures;

/** The runs of a workflow, from its state, for a page. */
final class RunHistory {
  private static final int RUNS = 30;

  private final StateFolder state;

  RunHistory(StateFolder state) {
    this.state = state;
  }

  /**
   * A run and those before it.
   *
   * @param how what is said of where it is
   * @param log its lines for people
   */
  RunFigures figures(Records.Run run, String how, List<String> log) {
    Map<String, Records.StepRun> steps = WorkflowRun.steps(state, run);
    Map<String, String> about = new LinkedHashMap<>();
    about.put("workflow", run.file());
    about.put("run", run.id());
    about.put("began", seconds(run.started()));
    about.put("ended", seconds(run.ended()));
    about.put("status", Optional.ofNullable(run.status()).map(String::valueOf).orElse("none"));
    about.put("parameters", run.parameters().isEmpty() ? "none" : parameters(run));
    about.put("version", run.version());
    about.put("state", state.uri());
    Map<String, String> commands = commands(run);
    Instant began = Instant.parse(run.started());
    List<RunFigures.Step> all = new ArrayList<>();
    steps.forEach((id, step) -> all.add(step(step, began, commands.getOrDefault(id, ""))));
    boolean failed = steps.values().stream().anyMatch(s -> s.state() == Records.State.FAILED);
    return new RunFigures(run.workflow(), how, about, all, log, failed, past(run));
  }

  /** A time for people; null for one that is still to come. */
  static String seconds(@Nullable String time) {
    return time == null
        ? "not yet"
        : Instant.parse(time).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static String parameters(Records.Run run) {
    return run.parameters().entrySet().stream()
        .map(parameter -> parameter.getKey() + "=" + parameter.getValue())
        .collect(Collectors.joining(", "));
  }

  private RunFigures.Step step(Records.StepRun step, Instant began, String command) {
    Optional<Records.Done> done =
        step.state() == Records.State.DONE
            ? state.read(StateNames.done(step.key()), Records.Done.class)
            : Optional.empty();
    double begins =
        step.started().isEmpty()
            ? Double.NaN
            : Math.max(0, Duration.between(began, Instant.parse(step.started())).toMillis() / 1e3);
    return new RunFigures.Step(
        step.id(),
        step.state().name().toLowerCase(Locale.ROOT),
        done.map(Records.Done::command).orElse(command),
        step.attempts(),
        begins,
        step.seconds(),
        step.reason(),
        done.map(Records.Done::outputs).orElse(List.of()).stream()
            .map(made -> new RunFigures.Output(made.uri(), made.bytes()))
            .toList());
  }

  /** The commands of a run's steps; none if this version cannot read its text. */
  private static Map<String, String> commands(Records.Run run) {
    Map<String, String> commands = new LinkedHashMap<>();
    try {
      WorkflowReader.read(run.file(), run.text(), run.parameters(), words -> Optional.empty())
          .steps()
          .forEach(step -> commands.put(step.id(), step.line()));
    } catch (WeftException e) {
      commands.clear();
    }
    return commands;
  }

  private List<RunFigures.Past> past(Records.Run latest) {
    List<String> names =
        state.names(StateNames.RUNS).stream().filter(id -> id.compareTo(latest.id()) <= 0).toList();
    List<RunFigures.Past> past = new ArrayList<>();
    for (String name : names.subList(Math.max(0, names.size() - RUNS), names.size())) {
      state
          .read(StateNames.run(name), Records.Run.class)
          .ifPresent(
              run ->
                  past.add(
                      new RunFigures.Past(
                          run.id(),
                          parameters(run),
                          run.status() == null ? -1 : run.status(),
                          WorkflowRun.steps(state, run).values().stream()
                              .mapToDouble(Records.StepRun::seconds)
                              .sum())));
    }
    return past;
  }
}
