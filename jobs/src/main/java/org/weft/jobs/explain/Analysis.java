package org.weft.jobs.explain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.weft.engine.JobReport;
import org.weft.engine.StepReport;
import org.weft.jobs.output.RunReport;
import org.weft.planner.JobPlan;
import org.weft.planner.PlanCosts;
import org.weft.planner.StepCosts;
import org.weft.text.Bytes;
import org.weft.text.Counts;
import org.weft.text.TextTable;

/**
 * What a job took beside what its plan predicts.
 *
 * @param iterations that were run; 1 of a job without iterations
 */
public record Analysis(JobPlan plan, JobReport report, int iterations) {
  private static final String UNKNOWN = "-";

  public Analysis {
    iterations = Math.max(1, iterations);
  }

  /** Seconds that a step took, of those that are repeated once; NaN where they are not measured. */
  private double seconds(String step) {
    return report.phaseNanos().containsKey(step)
        ? report.seconds(step) / (PlanCosts.isRepeated(step) ? iterations : 1)
        : Double.NaN;
  }

  private boolean exchanges() {
    return !plan.resources().inTurn() && plan.modes().size() > 1;
  }

  private double predictedExchange() {
    return plan.predicted().step("merge").map(StepCosts::bytesMoved).orElse(0.0);
  }

  /** As text. */
  public String text() {
    PlanCosts predicted = plan.predicted();
    List<String> lines = new ArrayList<>();
    lines.add(
        iterations == 1
            ? "predicted and measured milliseconds"
            : String.format(
                Locale.ROOT,
                "predicted and measured milliseconds; kernel and merge are one of %s",
                Counts.plain(iterations, "iteration")));
    TextTable table = new TextTable("<>").row("step", "predicted", "measured");
    for (StepCosts step : predicted.steps()) {
      table.row(step.step(), number(step.seconds()), number(seconds(step.step())));
    }
    if (predicted.iterations() > 1) {
      double here = seconds("kernel") + seconds("merge");
      table.row("an iteration", number(predicted.iterationSeconds()), number(here));
    }
    if (report.seconds("reorder") > 0) {
      table.row("reorder", UNKNOWN, number(report.seconds("reorder")));
    }
    for (StepReport pass : report.steps()) {
      table.row(pass.name(), number(pass.predictedSeconds()), number(pass.measuredSeconds()));
    }
    table.lines().forEach(line -> lines.add("  " + line));
    TextTable bytes = new TextTable("<>").row("bytes", "predicted", "measured");
    bytes.row(
        "packed forms",
        Bytes.text(predicted.storageBytes()),
        report.packedBytes() == 0 ? UNKNOWN : Bytes.text(report.packedBytes()));
    if (exchanges()) {
      String measured = Bytes.text(report.exchangedBytesPerIteration(iterations));
      if (iterations > 1) {
        bytes.row("exchanged per iteration", Bytes.text(predictedExchange()), measured);
      } else {
        bytes.row("exchanged in the first iteration", UNKNOWN, measured);
      }
    }
    bytes.lines().forEach(line -> lines.add("  " + line));
    lines.add(
        String.format(
            Locale.ROOT,
            "at most %s resident in all processes, of which the JVM and code are a part; predicted"
                + " %s of tensors per executor",
            Bytes.text(report.peakMemoryBytes()),
            Bytes.text(predicted.peakMemoryBytesPerExecutor())));
    return String.join("\n", lines) + "\n";
  }

  private static String number(double seconds) {
    return Double.isNaN(seconds) ? UNKNOWN : RunReport.millis(seconds);
  }

  /** As members of a JSON object. */
  public Map<String, Object> members() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("iterations", iterations);
    Map<String, Object> seconds = new LinkedHashMap<>();
    report.phaseNanos().forEach((phase, nanos) -> seconds.put(phase, seconds(phase)));
    all.put("seconds", seconds);
    List<Object> passes = new ArrayList<>();
    for (StepReport step : report.steps()) {
      Map<String, Object> pass = new LinkedHashMap<>();
      pass.put("name", step.name());
      pass.put("kernel_seconds", step.measuredSeconds());
      pass.put("gflops", step.gflops());
      passes.add(pass);
    }
    all.put("passes", passes);
    all.put("packed_bytes", report.packedBytes());
    if (exchanges()) {
      all.put("exchanged_bytes_per_iteration", report.exchangedBytesPerIteration(iterations));
    }
    all.put("peak_memory_bytes", report.peakMemoryBytes());
    return all;
  }
}
