package org.weft.jobs.chart;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A chart of points over two axes. Colours are classes, which a page's style sheet defines, and
 * {@link #alone} brings: {@code grid}, {@code tick}, {@code curve}, {@code dot}, {@code s0} to
 * {@code s3} for series.
 */
public final class Axes {
  private static final int WIDTH = 560;
  private static final int HEIGHT = 260;
  private static final int LEFT = 64;
  private static final int RIGHT = 16;
  private static final int TOP = 14;
  private static final int BOTTOM = 44;
  private static final int LEGEND = 22;
  private static final int SERIES = 4;
  private static final int MANY = 60;
  private static final String STYLE =
      """
      .page{fill:#fff}.grid{stroke:#d5dbe3}.tick{fill:#566072;font-size:12px}.title{fill:#1c2430;font-size:15px}
      .curve{fill:none;stroke:#1b6fa8;stroke-width:2;stroke-linejoin:round}.dot{fill:#1b6fa8}.roof{fill:none;stroke:#566072}
      .s0{color:#1b6fa8}.s1{color:#c8570a}.s2{color:#1b9e77}.s3{color:#7570b3}
      .s0 .curve,.s1 .curve,.s2 .curve,.s3 .curve{stroke:currentColor}
      .s0 .dot,.s1 .dot,.s2 .dot,.s3 .dot,.s0 .bar,.s1 .bar,.s2 .bar,.s3 .bar{fill:currentColor}
      """;

  private final String xName;
  private final String yName;
  private final Map<String, List<Point>> series = new LinkedHashMap<>();
  private final List<Point> dots = new ArrayList<>();
  private final List<Point> roof = new ArrayList<>();
  private List<Long> bars = List.of();
  private double barsLow;
  private double barsHigh;
  private boolean logarithmicX;
  private boolean logarithmicY;

  private final StringBuilder svg = new StringBuilder();

  private Axes(String xName, String yName) {
    this.xName = xName;
    this.yName = yName;
  }

  /** A point; {@code said} is shown beside it or when a pointer is on it. */
  public record Point(double x, double y, String said) {}

  /** A chart with these names at its axes. */
  public static Axes of(String xName, String yName) {
    return new Axes(xName, yName);
  }

  /** Both axes by powers. */
  public Axes logarithmic() {
    logarithmicX = true;
    logarithmicY = true;
    return this;
  }

  /** The vertical axis by powers. */
  public Axes logarithmicY() {
    logarithmicY = true;
    return this;
  }

  /** A line through {@code points}; a legend tells several by their names. */
  public Axes curve(String name, List<Point> points) {
    series.put(name, List.copyOf(points));
    return this;
  }

  /** Points with their text beside them. */
  public Axes dots(List<Point> points) {
    dots.addAll(points);
    return this;
  }

  /** Bars of equal width from {@code low} to {@code high}; heights are logarithms of counts. */
  public Axes bars(double low, double high, List<Long> counts) {
    barsLow = low;
    barsHigh = high > low ? high : low + 1;
    bars = List.copyOf(counts);
    logarithmicY = true;
    return this;
  }

  /** The bounds of a machine: {@code most} a second, and so many bytes a second. */
  public Axes roof(double most, double bytes) {
    roof.clear();
    roof.add(new Point(most / bytes, most, ""));
    return this;
  }

  /** For a page; {@code said} is what a screen reader says. */
  public String svg(String said) {
    draw(said, "", "");
    return svg.toString();
  }

  /** A file of its own, with a title. */
  public String alone(String title) {
    draw(title, " xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\"", title);
    return svg.toString();
  }

  private void draw(String said, String attributes, String title) {
    svg.setLength(0);
    int above = (title.isEmpty() ? 0 : 30) + (series.size() > 1 ? LEGEND : 0);
    add(
        "<svg%s role=\"img\" viewBox=\"0 %d %d %d\" style=\"max-width:%dpx\" aria-label=\"%s\">",
        attributes, -above, WIDTH, HEIGHT + above, WIDTH, escape(said));
    if (!title.isEmpty()) {
      add("<style>%s</style>", STYLE);
      add(
          "<rect class=\"page\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
          -above, WIDTH, HEIGHT + above);
      add("<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>", LEFT, 20 - above, escape(title));
    }
    Scale x = scaleX();
    Scale y = scaleY();
    grid(x, y);
    legend();
    bars(x, y);
    roof(x, y);
    int number = 0;
    for (List<Point> points : series.values()) {
      add("<g class=\"s%d\">", number++ % SERIES);
      line("curve", points, x, y);
      if (points.size() <= MANY) {
        points.forEach(point -> dot(point, x, y));
      }
      add("</g>");
    }
    named(x, y);
    add("</svg>");
  }

  private Scale scaleX() {
    if (!bars.isEmpty()) {
      return new Scale(barsLow, barsHigh, false);
    }
    return Scale.of(
        Stream.concat(all(), roof.stream().flatMap(Axes::around)).map(Point::x).toList(),
        logarithmicX);
  }

  /** A roof has room to be seen as one. */
  private static Stream<Point> around(Point top) {
    return Stream.of(
        new Point(top.x() / 4, top.y() / 4, ""), new Point(top.x() * 4, top.y() * 1.5, ""));
  }

  private Scale scaleY() {
    if (!bars.isEmpty()) {
      double most = bars.stream().mapToLong(Long::longValue).max().orElse(1);
      return new Scale(0.5, Math.max(1, most) * 1.3, true);
    }
    return Scale.of(
        Stream.concat(all(), roof.stream().flatMap(Axes::around)).map(Point::y).toList(),
        logarithmicY);
  }

  private Stream<Point> all() {
    return Stream.concat(series.values().stream().flatMap(List::stream), dots.stream());
  }

  private void grid(Scale x, Scale y) {
    for (double tick : y.ticks(5)) {
      add(
          "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
          LEFT, WIDTH - RIGHT, down(y, tick), down(y, tick));
      text(LEFT - 8, down(y, tick) + 4, "end", Scale.label(tick));
    }
    for (double tick : x.ticks(7)) {
      add(
          "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
          right(x, tick), right(x, tick), HEIGHT - BOTTOM, HEIGHT - BOTTOM + 4);
      text(right(x, tick), HEIGHT - BOTTOM + 18, "middle", Scale.label(tick));
    }
    text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6, "middle", xName);
    add(
        "<text class=\"tick\" transform=\"translate(13 %d) rotate(-90)\""
            + " text-anchor=\"middle\">%s</text>",
        (TOP + HEIGHT - BOTTOM) / 2, escape(yName));
  }

  private void legend() {
    if (series.size() < 2) {
      return;
    }
    double x = LEFT;
    int number = 0;
    for (String name : series.keySet()) {
      add(
          "<g class=\"s%d\"><circle class=\"dot\" cx=\"%.1f\" cy=\"-8\" r=\"4\"/></g>",
          number++ % SERIES, x);
      text(x + 8, -4, "start", name);
      x += 24 + 7.0 * name.length();
    }
  }

  private void bars(Scale x, Scale y) {
    double width = (barsHigh - barsLow) / Math.max(1, bars.size());
    for (int b = 0; b < bars.size(); b++) {
      double from = right(x, barsLow + b * width);
      double to = right(x, barsLow + (b + 1) * width);
      if (bars.get(b) > 0) {
        double top = down(y, bars.get(b));
        add(
            "<rect class=\"dot\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s to"
                + " %s: %,d</title></rect>",
            from,
            top,
            Math.max(1, to - from - 1),
            HEIGHT - BOTTOM - top,
            Scale.label(rounded(barsLow + b * width)),
            Scale.label(rounded(barsLow + (b + 1) * width)),
            bars.get(b));
      }
    }
  }

  private static double rounded(double value) {
    return new java.math.BigDecimal(value).round(new java.math.MathContext(3)).doubleValue();
  }

  private void roof(Scale x, Scale y) {
    for (Point top : roof) {
      double slope = top.y() / top.x();
      double start = Math.max(x.low(), y.low() / slope);
      List<Point> line =
          List.of(
              new Point(start, start * slope, ""),
              new Point(top.x(), top.y(), ""),
              new Point(x.high(), top.y(), ""));
      line("roof", line, x, y);
      text(WIDTH - RIGHT, down(y, top.y()) - 6, "end", Scale.label(rounded(top.y())) + " GFLOP/s");
    }
  }

  private void line(String kind, List<Point> points, Scale x, Scale y) {
    StringBuilder at = new StringBuilder();
    points.forEach(
        p -> at.append(String.format(Locale.ROOT, "%.1f,%.1f ", right(x, p.x()), down(y, p.y()))));
    add("<polyline class=\"%s\" points=\"%s\"/>", kind, at.toString().strip());
  }

  private void dot(Point point, Scale x, Scale y) {
    add(
        "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>%s</title></circle>",
        right(x, point.x()), down(y, point.y()), escape(point.said()));
  }

  /** Names beside dots, moved apart where they would lie on each other. */
  private void named(Scale x, Scale y) {
    double last = Double.NEGATIVE_INFINITY;
    for (Point point :
        dots.stream().sorted(Comparator.comparingDouble((Point p) -> -p.y())).toList()) {
      dot(point, x, y);
      double at = Math.max(down(y, point.y()) + 4, last + 14);
      last = at;
      boolean left = right(x, point.x()) > WIDTH * 0.6;
      text(right(x, point.x()) + (left ? -8 : 8), at, left ? "end" : "start", point.said());
    }
  }

  private static double right(Scale scale, double value) {
    return LEFT + (WIDTH - LEFT - RIGHT) * scale.at(value);
  }

  private static double down(Scale scale, double value) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - scale.at(value));
  }

  private void text(double x, double y, String anchor, String text) {
    add(
        "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
        x, y, anchor, escape(text));
  }

  private void add(String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replaceAll("\\p{Cntrl}", "?");
  }
}
