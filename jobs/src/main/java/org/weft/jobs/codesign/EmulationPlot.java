package org.weft.jobs.codesign;

import java.util.Locale;
import java.util.OptionalDouble;
import org.weft.jobs.chart.Bars;
import org.weft.jobs.chart.Picture;

/**
 * Contractions as a picture, for figure 6 of COMET's dense paper: for each design a bar of the
 * emulated speed and a ring where it was predicted, and a bar of this machine's own kernel.
 */
public final class EmulationPlot {
  private static final String CORE = "this core computes";

  private EmulationPlot() {}

  /** The picture. */
  public static Picture of(CodesignReport report) {
    Bars bars =
        Bars.of("GFLOP/s")
            .title(
                "Contractions around accelerators",
                "Emulated on one thread: the place of the micro-kernel waits, nothing is computed")
            .marks("predicted");
    for (MatrixProduct product : report.predictions().get(0).products()) {
      bars.gap();
      String label = product.name();
      for (Prediction p : report.predictions()) {
        add(bars, label, p, product);
        label = "";
      }
      OptionalDouble own = report.ownGigaFlops(product);
      own.ifPresent(speed -> bars.row("", CORE, speed, number(speed)));
    }
    return bars;
  }

  private static void add(Bars bars, String label, Prediction prediction, MatrixProduct product) {
    double measured = prediction.emulatedGigaFlops(product).orElse(Double.NaN);
    double predicted = prediction.gigaFlops(product);
    String note =
        Double.isNaN(measured)
            ? "not emulated, " + number(predicted) + " predicted"
            : number(measured) + ", " + number(predicted) + " predicted";
    double[] values = {measured, measured, measured};
    bars.row(label, prediction.design().name(), values, predicted, note);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
