package org.weft.jobs.report;

import java.util.List;
import java.util.Locale;

/**
 * Pictures of a report as inline SVG. Colours are classes of the page's style sheet, so that they
 * follow its light and dark modes; every picture says in words what it shows.
 */
final class Chart {
  private static final int WIDTH = 460;
  private static final int HEIGHT = 200;
  private static final int LEFT = 56;
  private static final int RIGHT = 16;
  private static final int TOP = 12;
  private static final int BOTTOM = 44;
  private static final int WIDEST = 580;
  private static final int LINE_WIDTH = 320;
  private static final int LINE_HEIGHT = 84;
  private static final int MANY = 100;
  private static final int SHADES = 10;

  private final StringBuilder svg = new StringBuilder();

  private Chart() {}

  /** The fit by iteration. */
  static String convergence(List<Double> fits) {
    Chart chart = new Chart();
    double least = fits.stream().mapToDouble(d -> d).min().orElse(0);
    double most = fits.stream().mapToDouble(d -> d).max().orElse(1);
    double margin = most > least ? (most - least) * 0.05 : Math.max(1e-6, Math.abs(most) * 0.05);
    double low = least - margin;
    double high = most + margin;
    chart.open(
        WIDTH,
        HEIGHT,
        WIDEST,
        String.format(
            Locale.ROOT,
            "Fit by iteration: from %.4g in iteration 1 to %.4g in iteration %d",
            fits.get(0),
            fits.get(fits.size() - 1),
            fits.size()));
    double step = step((high - low) / 4);
    for (double tick = Math.ceil(low / step) * step; tick <= high; tick += step) {
      double y = y(tick, low, high);
      chart.add(
          "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
          LEFT, WIDTH - RIGHT, y, y);
      chart.add(
          "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
          LEFT - 8, y + 4, number(tick, step));
    }
    int every = Math.max(1, (int) Math.round(step(fits.size() / 6.0)));
    for (int n = 1; n <= fits.size(); n++) {
      if (n == 1 || n % every == 0 && n > every / 2) {
        chart.add(
            "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>",
            x(n, fits.size()), HEIGHT - BOTTOM + 18, n);
      }
    }
    chart.add(
        "<text class=\"tick\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">iteration</text>",
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6);
    StringBuilder points = new StringBuilder();
    for (int n = 1; n <= fits.size(); n++) {
      points.append(
          String.format(
              Locale.ROOT, "%.1f,%.1f ", x(n, fits.size()), y(fits.get(n - 1), low, high)));
    }
    chart.add("<polyline class=\"curve\" points=\"%s\"/>", points.toString().strip());
    if (fits.size() <= 60) {
      for (int n = 1; n <= fits.size(); n++) {
        chart.add(
            "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>iteration %d: %.6g</title></circle>",
            x(n, fits.size()), y(fits.get(n - 1), low, high), n, fits.get(n - 1));
      }
    }
    return chart.close();
  }

  private static double x(int n, int count) {
    return count < 2
        ? (LEFT + WIDTH - RIGHT) / 2.0
        : LEFT + 8 + (WIDTH - LEFT - RIGHT - 16.0) * (n - 1) / (count - 1);
  }

  private static double y(double value, double low, double high) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low);
  }

  /** The least of 1, 2 and 5 times a power of ten that is at least {@code least}. */
  static double step(double least) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(1e-300, least))));
    for (double times : new double[] {1, 2, 5}) {
      if (times * power >= least * (1 - 1e-9)) {
        return times * power;
      }
    }
    return 10 * power;
  }

  private static String number(double value, double step) {
    int digits = (int) Math.max(0, Math.min(8, Math.ceil(-Math.log10(step) - 1e-9)));
    return String.format(Locale.ROOT, "%." + digits + "f", value);
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
            "<rect class=\"%s%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"><title>%d and %d: %.3f</title></rect>",
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
