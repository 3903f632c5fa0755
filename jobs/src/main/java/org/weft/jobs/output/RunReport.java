package org.weft.jobs.output;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.weft.engine.JobReport;
import org.weft.engine.StepReport;

/** Prints what a job took. */
public final class RunReport {
  private RunReport() {}

  public static void print(Console console, JobReport report) {
    console.report(
        "%,d nonzeros in %d partition(s); kernels %.1f M nonzeros/s, %.2f GFLOP/s, %.2f GB/s",
        report.nonzeros(),
        report.partitions(),
        report.nonzerosPerSecond() / 1e6,
        report.kernelGflops(),
        report.kernelGbps());
    console.report(
        "seconds: %s; peak memory %.0f MiB",
        report.phaseNanos().entrySet().stream()
            .map(RunReport::phase)
            .collect(Collectors.joining(", ")),
        report.peakMemoryBytes() / (double) (1 << 20));
    console.report("operand rows fetched: %,d", report.operandRowsFetched());
    for (StepReport step : report.steps()) {
      console.note(
          "  %s: %.1f ms a call, predicted %.1f ms",
          step.name(), step.measuredSeconds() * 1e3, step.predictedSeconds() * 1e3);
    }
  }

  private static String phase(Map.Entry<String, Long> phase) {
    return String.format(Locale.ROOT, "%s %.2f", phase.getKey(), phase.getValue() * 1e-9);
  }
}
