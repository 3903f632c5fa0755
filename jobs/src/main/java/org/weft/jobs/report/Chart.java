package org.weft.jobs.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.weft.jobs.chart.Axes;

/**
 * Pictures of a report as inline SVG. Colours are classes of the page's style sheet, so that they
 * follow its light and dark modes; every picture says in words what it shows.
 */
final class Chart {
  private static final int LINE_WIDTH = 320;
  private static final int LINE_HEIGHT = 84;
  private static final int MANY = 100;
  private static final int SHADES = 10;

  private final StringBuilder svg = new StringBuilder();

  private Chart() {}

  /** What iterations raise, by iteration. */
  static String convergence(String measure, List<Double> fits) {
    List<Axes.Point> points = new ArrayList<>();
    for (int n = 1; n <= fits.size(); n++) {
      double fit = fits.get(n - 1);
      points.add(new Axes.Point(n, fit, String.format(Locale.ROOT, "iteration %d: %.6g", n, fit)));
    }
    return Axes.of("iteration", measure)
        .curve(measure, points)
        .svg(
            String.format(
                Locale.ROOT,
                "%s by iteration: from %.4g in iteration 1 to %.4g in iteration %d",
                Character.toUpperCase(measure.charAt(0)) + measure.substring(1),
                fits.get(0),
                fits.get(fits.size() - 1),
                fits.size()));
  }

  /** A mode of time in its own order. */
  static String line(String mode, Figures.Line line) {
    Chart chart = new Chart();
    List<Double> weights = line.weights();
    double high = Math.max(0, weights.stream().mapToDouble(d -> d).max().orElse(1));
    double low = Math.min(0, weights.stream().mapToDouble(d -> d).min().orElse(0));
    double range = high > low ? high - low : 1;
    int peak = 0;
    for (int i = 0; i < weights.size(); i++) {
      peak = Math.abs(weights.get(i)) > Math.abs(weights.get(peak)) ? i : peak;
    }
    chart.open(
        LINE_WIDTH,
        LINE_HEIGHT,
        2 * LINE_WIDTH,
        String.format(
            Locale.ROOT,
            "Weight by %s, from %s to %s; largest %d%% of the way through, %.3g",
            mode,
            line.first(),
            line.last(),
            weights.size() < 2 ? 0 : Math.round(100.0 * peak / (weights.size() - 1)),
            weights.isEmpty() ? 0 : weights.get(peak)));
    int bottom = LINE_HEIGHT - 20;
    double zero = 4 + (bottom - 4) * high / range;
    chart.add(
        "<line class=\"grid\" x1=\"0\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
        LINE_WIDTH, zero, zero);
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < weights.size(); i++) {
      double x =
          weights.size() < 2 ? LINE_WIDTH / 2.0 : 2 + (LINE_WIDTH - 4.0) * i / (weights.size() - 1);
      points.append(
          String.format(
              Locale.ROOT, "%.1f,%.1f ", x, 4 + (bottom - 4) * (high - weights.get(i)) / range));
    }
    chart.add(
        "<polyline class=\"curve%s\" points=\"%s\"/>",
        weights.size() > MANY ? " fine" : "", points.toString().strip());
    chart.add(
        "<text class=\"tick\" x=\"0\" y=\"%d\">%s</text>", LINE_HEIGHT - 4, escape(line.first()));
    chart.add(
        "<text class=\"tick\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>",
        LINE_WIDTH, LINE_HEIGHT - 4, escape(line.last()));
    return chart.close();
  }

  /** Components against each other. */
  static String overlap(double[][] cosines, String said) {
    int count = cosines.length;
    int cell = Math.max(10, Math.min(28, 560 / Math.max(1, count)));
    int left = 30;
    Chart chart = new Chart();
    chart.open(left + count * cell + 2, left + count * cell + 2, said);
    for (int r = 0; r < count; r++) {
      boolean named = cell >= 18 || r % 5 == 0;
      if (named) {
        chart.add(
            "<text class=\"tick\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>",
            left - 6, left + r * cell + cell / 2 + 4, r + 1);
        chart.add(
            "<text class=\"tick\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d</text>",
            left + r * cell + cell / 2, left - 8, r + 1);
      }
      for (int s = 0; s < count; s++) {
        double size = Math.min(1, Math.abs(cosines[r][s]));
        chart.add(
            "<rect class=\"%s%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"><title>%d and %d:"
                + " %.3f</title></rect>",
            cosines[r][s] < 0 ? "n" : "p",
            (int) Math.round(size * SHADES),
            left + s * cell,
            left + r * cell,
            cell - 1,
            cell - 1,
            r + 1,
            s + 1,
            cosines[r][s]);
      }
    }
    return chart.close();
  }

  private void open(int width, int height, String said) {
    open(width, height, width, said);
  }

  private void open(int width, int height, int widest, String said) {
    add(
        "<svg role=\"img\" viewBox=\"0 0 %d %d\" style=\"max-width:%dpx\" aria-label=\"%s\">",
        width, height, widest, escape(said));
  }

  private void add(String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  private String close() {
    return svg.append("</svg>\n").toString();
  }

  /** Text that may stand in HTML and in attributes. */
  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replaceAll("[\\p{Cntrl}&&[^\n\t]]", "\uFFFD");
  }
}
