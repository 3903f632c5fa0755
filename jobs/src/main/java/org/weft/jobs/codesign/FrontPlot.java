package org.weft.jobs.codesign;

import java.util.List;
import java.util.Locale;
import org.weft.jobs.chart.Axes;
import org.weft.jobs.chart.Picture;

/** Designs as a picture: speed for a watt against speed for an area, the front filled. */
public final class FrontPlot {
  private FrontPlot() {}

  /** The picture; designs without power or area are left out. */
  public static Picture of(CodesignReport report) {
    List<Prediction> all = report.predictions();
    return Axes.of("GFLOP/s per mm² of area", "GFLOP/s per W")
        .title("Designs and the front that no other design beats")
        .fromZero()
        .dots("on the Pareto front", true, points(all, true))
        .dots("beaten by another design", false, points(all, false));
  }

  private static List<Axes.Point> points(List<Prediction> all, boolean onFront) {
    return all.stream()
        .filter(p -> p.perWatt().isPresent() && p.perArea().isPresent())
        .filter(p -> p.isOnFront(all) == onFront)
        .map(
            p ->
                new Axes.Point(
                    p.perArea().orElse(0),
                    p.perWatt().orElse(0),
                    String.format(
                        Locale.ROOT, "%s, %.1f GFLOP/s", p.design().name(), p.gigaFlops())))
        .toList();
  }
}
