package org.weft.jobs.workflow;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;

/**
 * The end of a run in Prometheus's text format, for the node exporter's folder of text files. Names
 * begin with {@code weft_workflow_}; seconds are seconds, and times seconds since 1970.
 */
final class Metrics {
  private final StringBuilder text = new StringBuilder();

  private Metrics() {}

  /** Writes the file, over one that is there. */
  static void write(
      FileAccess files,
      String uri,
      String workflow,
      Map<String, Records.StepRun> steps,
      int status,
      double seconds)
      throws IOException {
    Metrics metrics = new Metrics();
    String of = "workflow=\"" + workflow + "\"";
    metrics.head("run_status", "Exit status of the last run.");
    metrics.value("run_status", of, status);
    metrics.head("run_seconds", "How long the last run took.");
    metrics.value("run_seconds", of, seconds);
    metrics.head("run_end_time_seconds", "When the last run ended.");
    metrics.value("run_end_time_seconds", of, Instant.now().getEpochSecond());
    metrics.head("step_seconds", "How long the last attempt of a step took; 0 if it was kept.");
    steps.forEach((id, step) -> metrics.value("step_seconds", label(of, id), step.seconds()));
    metrics.head("step_attempts", "Attempts at a step in the run.");
    steps.forEach((id, step) -> metrics.value("step_attempts", label(of, id), step.attempts()));
    metrics.head("step_state", "1 for the state that a step is in.");
    steps.forEach(
        (id, step) -> {
          for (Records.State state : Records.State.values()) {
            String named =
                label(of, id) + ",state=\"" + state.name().toLowerCase(Locale.ROOT) + "\"";
            metrics.value("step_state", named, step.state() == state ? 1 : 0);
          }
        });
    try (OutputCommit commit = OutputCommit.begin(files, uri, true)) {
      try (OutputStream out = commit.create()) {
        out.write(metrics.text.toString().getBytes(StandardCharsets.UTF_8));
      }
      commit.commit();
    }
  }

  private static String label(String of, String step) {
    return of + ",step=\"" + step + "\"";
  }

  private void head(String name, String help) {
    text.append("# HELP weft_workflow_").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE weft_workflow_").append(name).append(" gauge\n");
  }

  private void value(String name, String labels, double value) {
    text.append(
        String.format(Locale.ROOT, "weft_workflow_%s{%s} %s%n", name, labels, number(value)));
  }

  private static String number(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
