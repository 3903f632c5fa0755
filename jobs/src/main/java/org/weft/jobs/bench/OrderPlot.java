package org.weft.jobs.bench;

import java.util.Locale;
import org.weft.jobs.chart.Bars;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.output.RunReport;

/**
 * Gains of orders as a picture: for each tensor, kernel and number of threads a bar per order, from
 * 1 to its speed over that without it.
 */
public final class OrderPlot {
  private OrderPlot() {}

  /** The picture. */
  public static Picture of(OrderReport report) {
    Bars bars =
        Bars.ofRatios("speed under an order over speed without")
            .title("Gains of orders", String.join("; ", report.machine().values()));
    for (OrderedTensor tensor : report.tensors()) {
      for (OrderedTensor.Times times : tensor.times()) {
        bars.gap();
        String label =
            BenchReport.named(tensor.name())
                + ", "
                + times.kernel()
                + ", "
                + BenchPlot.threads(times.threads());
        for (OrderedTensor.Order order : tensor.orders()) {
          if (!isBase(times, order.name())) {
            double gain = times.gain(order.name());
            bars.row(
                label,
                order.name(),
                gain,
                String.format(
                    Locale.ROOT,
                    "%s: %.2f x, %s ms",
                    order.name(),
                    gain,
                    RunReport.millis(times.of(order.name()))));
            label = "";
          }
        }
      }
    }
    return bars;
  }

  /** The order that the others are compared with. */
  private static boolean isBase(OrderedTensor.Times times, String order) {
    return order.equals(OrderBench.SHUFFLED)
        || order.equals(OrderBench.GIVEN) && !times.seconds().containsKey(OrderBench.SHUFFLED);
  }
}
