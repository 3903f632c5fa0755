package org.weft.jobs.output;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.weft.engine.JobReport;
import org.weft.engine.StepReport;
import org.weft.text.Counts;

/** Prints what a job took. */
public final class RunReport {
  private static final double LEAST_MILLIS = 0.001;

  private RunReport() {}

  public static void print(Console console, JobReport report) {
    console.report(
        "%s in %s; kernels %.1f M nonzeros/s, %.2f GFLOP/s, %.2f GB/s",
        Counts.of(report.nonzeros(), "nonzero"),
        Counts.plain(report.partitions(), "partition"),
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
          "  %s: %s ms a pass, predicted %s ms",
          step.name(), millis(step.measuredSeconds()), millis(step.predictedSeconds()));
    }
  }

  /** Milliseconds with two digits at least, so that a short time is not 0. */
  public static String millis(double seconds) {
    double millis = seconds * 1e3;
    if (millis > 0 && millis < LEAST_MILLIS) {
      return "<" + LEAST_MILLIS;
    }
    return millis > 0 && millis < 10
        ? new BigDecimal(millis).round(new MathContext(2)).toPlainString()
        : String.format(Locale.ROOT, "%.1f", millis);
  }

  private static String phase(Map.Entry<String, Long> phase) {
    return String.format(Locale.ROOT, "%s %.2f", phase.getKey(), phase.getValue() * 1e-9);
  }
}
