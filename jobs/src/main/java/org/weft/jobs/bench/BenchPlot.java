package org.weft.jobs.bench;

import java.util.Locale;
import org.weft.jobs.chart.Bars;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.output.RunReport;
import org.weft.text.Counts;

/**
 * The report as a picture: for each workload a bar as long as the share of the bound that it
 * reaches, coloured by number of threads, and its figures beside it.
 */
public final class BenchPlot {
  private BenchPlot() {}

  /** The picture. */
  public static Picture of(BenchReport report) {
    Bars bars =
        Bars.of("share of the machine's bound")
            .title("Speed of kernels", String.join("; ", report.machine().values()))
            .percent();
    String before = "";
    for (WorkloadFigures row : report.rows()) {
      String label =
          (row.workload().kernel()
                  + " "
                  + BenchReport.named(row.tensor())
                  + " "
                  + row.workload().parameters())
              .strip();
      if (!label.equals(before)) {
        bars.gap();
      }
      bars.row(
          label.equals(before) ? "" : label,
          threads(row.workload().threads()),
          row.boundShare(),
          String.format(
              Locale.ROOT,
              "%s ms, %s%.1f GFLOP/s, %.1f GB/s, %.0f %%",
              RunReport.millis(row.medianSeconds()),
              nonzeros(row.megaNonzerosPerSecond()),
              row.gigaFlops(),
              row.gigaBytes(),
              row.boundShare() * 100));
      before = label;
    }
    return bars;
  }

  /** Dense operands have none. */
  private static String nonzeros(double millions) {
    return millions > 0 ? String.format(Locale.ROOT, "%.1f M nonzeros/s, ", millions) : "";
  }

  static String threads(int threads) {
    return Counts.plain(threads, "thread");
  }
}
