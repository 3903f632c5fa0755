package org.weft.jobs.chart;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** A chart of curves, dots or bars over two axes. */
public final class Axes implements Picture {
  private static final int WIDTH = 560;

  /** On a narrow screen, where a wide chart would have small letters. */
  private static final int NARROW = 340;

  private static final int HEIGHT = 260;
  private static final int LEFT = 64;

  /** What the name of the vertical axis and the space around its labels take. */
  private static final int BESIDE = 30;

  private static final int RIGHT = 16;
  private static final int TOP = 14;
  private static final int BOTTOM = 44;
  private static final int TICKS_X = 7;
  private static final int TICKS_Y = 5;

  /** Between the labels of neighbouring ticks. */
  private static final int APART = 12;

  private static final int MANY = 60;
  private static final double RADIUS = 3.5;

  private final String xName;
  private final String yName;
  private final Map<String, List<Point>> curves = new LinkedHashMap<>();
  private final List<List<Point>> faint = new ArrayList<>();
  private String faintName = "";
  private final List<Dots> dots = new ArrayList<>();
  private final List<Point> roof = new ArrayList<>();
  private List<Long> bars = List.of();
  private double barsLow;
  private double barsHigh;
  private boolean logarithmicX;
  private boolean logarithmicY;
  private boolean fromZero;
  private String title = "";
  private String said;
  private int width = WIDTH;

  private Axes(String xName, String yName) {
    this.xName = xName;
    this.yName = yName;
    this.said = yName + " by " + xName;
  }

  /** A point; {@code said} is shown beside it or when a pointer is on it. */
  public record Point(double x, double y, String said) {}

  /** Points of one sign; {@code name} is what a legend says, empty for none. */
  private record Dots(String name, boolean filled, List<Point> points) {
    void sign(Sheet sheet, double x, double y, String said) {
      if (filled) {
        sheet.dot(x, y, RADIUS, Ink.series(0), said);
      } else {
        sheet.ring(x, y, RADIUS, Ink.series(0), said);
      }
    }
  }

  /** A chart with these names at its axes. */
  public static Axes of(String xName, String yName) {
    return new Axes(xName, yName);
  }

  /** A title above the chart. */
  public Axes title(String text) {
    title = text;
    return said(text);
  }

  /** What a screen reader says. */
  public Axes said(String text) {
    said = text;
    return this;
  }

  /** Both axes by powers. */
  public Axes logarithmic() {
    logarithmicX = true;
    logarithmicY = true;
    return this;
  }

  /** Both axes begin at 0. */
  public Axes fromZero() {
    fromZero = true;
    return this;
  }

  /** A line through {@code points}; a legend tells several by their names. */
  public Axes curve(String name, List<Point> points) {
    curves.put(name, List.copyOf(points));
    return this;
  }

  /** Thin lines behind the curves; a legend tells both by their names. */
  public Axes faint(String name, List<List<Point>> lines) {
    faintName = name;
    lines.forEach(line -> faint.add(List.copyOf(line)));
    return this;
  }

  /** Points with their text beside them. */
  public Axes dots(List<Point> points) {
    return dots("", true, points);
  }

  /** Points with their text beside them, and what their sign means. */
  public Axes dots(String name, boolean filled, List<Point> points) {
    dots.add(new Dots(name, filled, List.copyOf(points)));
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

  /** Within a page, which shows one of two charts: on a narrow screen the one for it. */
  public String inPage() {
    String wide = inPage(WIDTH, "on-wide");
    width = NARROW;
    String narrow = inPage(NARROW, "on-narrow");
    width = WIDTH;
    return wide + narrow;
  }

  private Heading heading() {
    return new Heading(title, "", width - left() - RIGHT);
  }

  /** Where the horizontal axis begins: labels of the vertical axis are left of it. */
  private int left() {
    double widest =
        scaleY().ticks(TICKS_Y).stream()
            .mapToDouble(tick -> Sheet.width(Scale.label(tick)))
            .max()
            .orElse(0);
    return (int) Math.max(LEFT, BESIDE + widest);
  }

  private Legend legend() {
    Legend legend = new Legend(width - left() - RIGHT);
    if (curves.size() > 1 || !faint.isEmpty()) {
      int number = 0;
      for (String name : curves.keySet()) {
        Ink ink = Ink.series(number++);
        legend.add((sheet, x, y) -> sheet.dot(x, y, 4, ink, ""), name);
      }
    }
    if (!faint.isEmpty()) {
      legend.add((sheet, x, y) -> sheet.line(x - 5, y, x + 5, y, Ink.SOFT), faintName);
    }
    dots.stream()
        .filter(d -> !d.name().isEmpty() && !d.points().isEmpty())
        .forEach(d -> legend.add((sheet, x, y) -> d.sign(sheet, x, y, ""), d.name()));
    return legend;
  }

  private int top() {
    return TOP + heading().height() + legend().height();
  }

  private int bottom() {
    return height() - BOTTOM;
  }

  @Override
  public int width() {
    return width;
  }

  @Override
  public int height() {
    return HEIGHT + heading().height() + legend().height();
  }

  @Override
  public String said() {
    return said;
  }

  @Override
  public void draw(Sheet sheet) {
    new Drawing(sheet).all();
  }

  private Scale scaleX() {
    if (!bars.isEmpty()) {
      return new Scale(barsLow, barsHigh, false);
    }
    return Scale.of(shown().map(Point::x).toList(), logarithmicX);
  }

  /** Between whole numbers, such as those of iterations, there is nothing to read. */
  private List<Double> ticksX(Scale x) {
    boolean whole = bars.isEmpty() && shown().allMatch(point -> point.x() == Math.rint(point.x()));
    double room = width - left() - RIGHT;
    List<Double> ticks = List.of();
    for (int most = TICKS_X; most > 0; most--) {
      ticks = x.ticks(most).stream().filter(tick -> !whole || tick == Math.rint(tick)).toList();
      if (fit(ticks, x, room)) {
        break;
      }
    }
    return ticks;
  }

  /** Whether labels of the ticks stand beside each other in so much room. */
  private static boolean fit(List<Double> ticks, Scale x, double room) {
    for (int t = 1; t < ticks.size(); t++) {
      double before = ticks.get(t - 1);
      double here = ticks.get(t);
      double labels = (Sheet.width(Scale.label(before)) + Sheet.width(Scale.label(here))) / 2.0;
      if (room * (x.at(here) - x.at(before)) < labels + APART) {
        return false;
      }
    }
    return true;
  }

  private Scale scaleY() {
    if (!bars.isEmpty()) {
      double most = bars.stream().mapToLong(Long::longValue).max().orElse(1);
      return new Scale(0.5, Math.max(1, most) * 1.3, true);
    }
    return Scale.of(shown().map(Point::y).toList(), logarithmicY);
  }

  private Stream<Point> shown() {
    Stream<Point> points =
        Stream.concat(
            Stream.concat(curves.values().stream(), faint.stream()).flatMap(List::stream),
            dots.stream().flatMap(d -> d.points().stream()));
    Stream<Point> zero = fromZero ? Stream.of(new Point(0, 0, "")) : Stream.of();
    return Stream.concat(
        Stream.concat(points, zero).filter(p -> Double.isFinite(p.x()) && Double.isFinite(p.y())),
        roof.stream().flatMap(Axes::around));
  }

  /** A roof has room to be seen as one. */
  private static Stream<Point> around(Point top) {
    return Stream.of(
        new Point(top.x() / 4, top.y() / 4, ""), new Point(top.x() * 4, top.y() * 1.5, ""));
  }

  /** Where a name stands: its left end, base line and width. */
  private record Place(double left, double base, double width) {
    boolean meets(Place other) {
      return Math.abs(base - other.base) < Sheet.LINE - 3
          && left < other.left + other.width
          && other.left < left + width;
    }
  }

  /** A chart on its sheet: what follows from the data is worked out once. */
  private final class Drawing {
    private final Sheet sheet;
    private final Scale x = scaleX();
    private final Scale y = scaleY();
    private final int left = left();
    private final int top = top();
    private final int bottom = bottom();
    private final int end = width();
    private final int right = end - RIGHT;

    /** Where names and dots are. */
    private final List<Place> taken = new ArrayList<>();

    Drawing(Sheet sheet) {
      this.sheet = sheet;
    }

    void all() {
      heading().draw(sheet, left, 6);
      legend().draw(sheet, left, 6 + heading().height());
      grid();
      bars();
      roof();
      for (List<Point> points : faint) {
        sheet.curve(points.stream().map(this::at).toList(), 1, Ink.SOFT);
        if (points.size() == 1) {
          sheet.dot(right(points.get(0).x()), down(points.get(0).y()), 2, Ink.SOFT, "");
        }
      }
      int number = 0;
      for (List<Point> points : curves.values()) {
        Ink ink = Ink.series(number++);
        sheet.curve(points.stream().map(this::at).toList(), 2, ink);
        if (points.size() <= MANY) {
          points.forEach(p -> sheet.dot(right(p.x()), down(p.y()), RADIUS, ink, p.said()));
        }
      }
      named();
    }

    private void grid() {
      for (double tick : y.ticks(TICKS_Y)) {
        sheet.line(left, down(tick), right, down(tick), Ink.EDGE);
        sheet.text(left - 8, down(tick) + 4, Scale.label(tick), Sheet.Anchor.END, Ink.SOFT);
      }
      for (double tick : ticksX(x)) {
        sheet.line(right(tick), bottom, right(tick), bottom + 4, Ink.EDGE);
        sheet.text(right(tick), bottom + 18, Scale.label(tick), Sheet.Anchor.MIDDLE, Ink.SOFT);
      }
      double middle = (left + right) / 2.0;
      sheet.text(middle, height() - 6, xName, Sheet.Anchor.MIDDLE, Ink.SOFT);
      sheet.upward(13, (top + bottom) / 2.0, yName, Ink.SOFT);
    }

    private void bars() {
      double width = (barsHigh - barsLow) / Math.max(1, bars.size());
      for (int b = 0; b < bars.size(); b++) {
        double from = right(barsLow + b * width);
        double to = right(barsLow + (b + 1) * width);
        if (bars.get(b) > 0) {
          double top = down(bars.get(b));
          sheet.bar(
              from,
              top,
              Math.max(1, to - from - 1),
              bottom - top,
              Ink.series(0),
              String.format(
                  Locale.ROOT,
                  "%s to %s: %,d",
                  Sheet.number(barsLow + b * width),
                  Sheet.number(barsLow + (b + 1) * width),
                  bars.get(b)));
        }
      }
    }

    private void roof() {
      for (Point top : roof) {
        double slope = top.y() / top.x();
        double start = Math.max(x.low(), y.low() / slope);
        List<Point> line =
            List.of(
                new Point(start, start * slope, ""),
                new Point(top.x(), top.y(), ""),
                new Point(x.high(), top.y(), ""));
        sheet.curve(line.stream().map(this::at).toList(), 1.5, Ink.SOFT);
        String speed = Sheet.number(top.y()) + " GFLOP/s";
        double base = down(top.y()) - 6;
        sheet.text(right, base, speed, Sheet.Anchor.END, Ink.SOFT);
        taken.add(new Place(right - Sheet.width(speed), base, Sheet.width(speed)));
      }
    }

    /** Names beside dots, moved apart where they would lie on each other or on another dot. */
    private void named() {
      List<Point> points = new ArrayList<>();
      for (Dots some : dots) {
        for (Point p : some.points()) {
          some.sign(sheet, right(p.x()), down(p.y()), p.said());
          taken.add(new Place(right(p.x()) - 4, down(p.y()) + 4, 8));
          points.add(p);
        }
      }
      points.sort(Comparator.comparingDouble((Point p) -> -p.y()));
      for (Point p : points) {
        Place place = free(right(p.x()), down(p.y()) + 4, Sheet.width(p.said()));
        taken.add(place);
        double last = place.left() + place.width();
        sheet.clear(place.left(), place.base() - Sheet.LINE + 4, place.width(), Sheet.LINE - 1);
        boolean before = last < right(p.x());
        sheet.text(
            before ? last : place.left(),
            place.base(),
            p.said(),
            before ? Sheet.Anchor.END : Sheet.Anchor.START,
            Ink.SOFT);
      }
    }

    private Place free(double from, double base, double width) {
      Place best = null;
      for (int step = 0; step < 24 && best == null; step++) {
        double at = base + (step % 2 == 0 ? -1 : 1) * ((step + 1) / 2) * (Sheet.LINE - 2.0) / 2;
        for (double edge : new double[] {from + 8, from - 8 - width}) {
          Place place = new Place(edge, at, width);
          boolean inside = edge > left && edge + width < end && at > top + 8 && at < bottom - 2;
          if (best == null && inside && taken.stream().noneMatch(place::meets)) {
            best = place;
          }
        }
      }
      return best == null
          ? new Place(Math.max(2, Math.min(from + 8, end - width)), base, width)
          : best;
    }

    private Sheet.At at(Point point) {
      return new Sheet.At(right(point.x()), down(point.y()));
    }

    private double right(double value) {
      return left + (right - left) * x.at(value);
    }

    private double down(double value) {
      return top + (bottom - top) * (1 - y.at(value));
    }
  }
}
