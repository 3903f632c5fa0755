package org.weft.jobs.bench;

import java.util.Locale;
import org.weft.jobs.chart.Bars;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.output.RunReport;
import org.weft.planner.tune.Timings;
import org.weft.planner.tune.TuningResult;
import org.weft.text.Counts;

/**
 * The timed variants as a picture: a dot each at its median on an axis by powers, the fastest on
 * top, with the range between its quartiles and a ring where the cost model expected it.
 */
public final class TuningPlot {
  private static final String UNTUNED = "without tuning";

  private TuningPlot() {}

  /** The picture. */
  public static Picture of(TuningResult result) {
    Bars bars =
        Bars.ofPowers("milliseconds of the kernel: median, from lower to upper quartile")
            .title(
                result.expression(),
                String.format(
                    Locale.ROOT,
                    "%s, %d illegal, %d pruned by the cost model, %d timed",
                    Counts.plain(result.enumerated(), "variant"),
                    result.illegal(),
                    result.pruned(),
                    result.trials().size()))
            .marks("predicted by the cost model")
            .labelsAbove();
    for (TuningResult.Trial trial : result.trials()) {
      Timings timings = trial.timings();
      bars.row(
          trial.variant() + (trial.untuned() ? "  (" + UNTUNED + ")" : ""),
          trial.untuned() ? UNTUNED : "variant",
          new double[] {
            1e3 * timings.median(), 1e3 * timings.lowerQuartile(), 1e3 * timings.upperQuartile()
          },
          1e3 * trial.predictedSeconds(),
          RunReport.millis(timings.median()) + " ms");
    }
    return bars;
  }
}
