package org.weft.jobs.chart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.weft.text.Counts;

/**
 * Rows of one value each, named on the left and with their figures on the right. Bars begin where
 * their length means something: at 0, or of ratios at 1. On an axis by powers of other values a row
 * is a dot with the range of its runs, as no length from the axis' end means anything there.
 */
public final class Bars implements Picture {
  private static final int AXIS = 420;
  private static final int LABEL = 420;
  private static final int ROW = 18;
  private static final int MARGIN = 16;
  private static final int BELOW = 2 * Sheet.LINE + 8;
  private static final int GAP = 8;

  /** Where rows begin. */
  private enum Base {
    ZERO,
    ONE,
    NONE
  }

  private final String axis;
  private final Base base;
  private final List<Row> rows = new ArrayList<>();
  private final Map<String, Ink> series = new LinkedHashMap<>();
  private String title = "";
  private String below = "";
  private String markName = "";
  private boolean gap;
  private boolean percent;
  private boolean labelsAbove;
  private double reference = Double.NaN;
  private int longestLabel;
  private int longestNote;

  /** One value; {@code mark}, {@code low} and {@code high} may be {@code NaN}. */
  private record Row(
      String label,
      String series,
      double value,
      double low,
      double high,
      double mark,
      String note,
      boolean afterGap) {}

  private Bars(String axis, Base base) {
    this.axis = axis;
    this.base = base;
  }

  /** Bars from 0. */
  public static Bars of(String axis) {
    return new Bars(axis, Base.ZERO);
  }

  /** Bars of ratios, by powers: from 1 to the right where better, to the left where worse. */
  public static Bars ofRatios(String axis) {
    Bars bars = new Bars(axis, Base.ONE);
    bars.reference = 1;
    return bars;
  }

  /** Dots by powers. */
  public static Bars ofPowers(String axis) {
    return new Bars(axis, Base.NONE);
  }

  /** A title and what is said below it. */
  public Bars title(String text, String said) {
    title = text;
    below = said;
    return this;
  }

  /** Shows values as percentages, with a line at 100. */
  public Bars percent() {
    percent = true;
    reference = 1;
    return this;
  }

  /** Each row's label on a line of its own: for long ones. */
  public Bars labelsAbove() {
    labelsAbove = true;
    return this;
  }

  /** What the rings of rows are. */
  public Bars marks(String name) {
    markName = name;
    return this;
  }

  /** The colours of series in this order, which is otherwise that of their first rows. */
  public Bars series(String... names) {
    for (String name : names) {
      series.computeIfAbsent(name, s -> Ink.series(series.size()));
    }
    return this;
  }

  /** Adds a row; its colour tells the series. A row without a label belongs to the row above. */
  public Bars row(String label, String ofSeries, double value, String note) {
    return row(label, ofSeries, new double[] {value, value, value}, Double.NaN, note);
  }

  /**
   * Adds a row.
   *
   * @param values the value, and the least and the most of its range
   * @param mark where a ring stands; {@code NaN}: nowhere
   */
  public Bars row(String label, String ofSeries, double[] values, double mark, String note) {
    series.computeIfAbsent(ofSeries, s -> Ink.series(series.size()));
    rows.add(new Row(label, ofSeries, values[0], values[1], values[2], mark, note, gap));
    longestLabel = Math.max(longestLabel, Sheet.width(label));
    longestNote = Math.max(longestNote, Sheet.width(note));
    gap = false;
    return this;
  }

  /** Some room before the next row. */
  public Bars gap() {
    gap = !rows.isEmpty();
    return this;
  }

  private int left() {
    return labelsAbove ? MARGIN : MARGIN + Math.min(LABEL, longestLabel) + 8;
  }

  @Override
  public int width() {
    return left() + AXIS + 12 + longestNote + MARGIN;
  }

  private Heading heading() {
    return new Heading(title, below, width() - 2 * MARGIN);
  }

  private Legend legend() {
    Legend legend = new Legend(width() - 2 * MARGIN);
    Set<String> used = rows.stream().map(Row::series).collect(Collectors.toSet());
    boolean several = used.size() > 1 || base == Base.NONE;
    if (several) {
      series.forEach(
          (name, ink) -> {
            if (used.contains(name)) {
              legend.add((sheet, x, y) -> sheet.dot(x, y, 4, ink, ""), name);
            }
          });
    }
    if (!markName.isEmpty()) {
      legend.add((sheet, x, y) -> sheet.ring(x, y, 4, Ink.TEXT, ""), markName);
    }
    return legend;
  }

  private List<String> labelLines(Row row) {
    return labelsAbove
        ? Sheet.lines(row.label(), width() - 2 * MARGIN)
        : Sheet.lines(row.label(), LABEL);
  }

  /** What row {@code n} and the room around it take. */
  private int height(int n) {
    Row row = rows.get(n);
    int before = row.afterGap() ? GAP : 0;
    if (labelsAbove) {
      return before + Math.max(1, labelLines(row).size()) * Sheet.LINE + ROW + 4;
    }
    boolean goesOn = n + 1 < rows.size() && goesOn(n + 1);
    return before + ROW + (goesOn ? 0 : Math.max(0, room(n)));
  }

  /** Whether row {@code n} belongs to the label of a row above it. */
  private boolean goesOn(int n) {
    return n > 0 && rows.get(n).label().isEmpty() && !rows.get(n).afterGap();
  }

  /** By how much the label is higher than its rows, of which row {@code n} is the last. */
  private int room(int n) {
    int first = n;
    while (goesOn(first)) {
      first--;
    }
    return labelLines(rows.get(first)).size() * Sheet.LINE + 2 - (n - first + 1) * ROW;
  }

  private int top() {
    return MARGIN / 2 + heading().height() + legend().height() + 6;
  }

  @Override
  public int height() {
    return top() + IntStream.range(0, rows.size()).map(this::height).sum() + BELOW;
  }

  @Override
  public String said() {
    return (title.isEmpty() ? axis : title) + ", " + Counts.plain(rows.size(), "row");
  }

  private Scale scale() {
    List<Double> values =
        rows.stream()
            .flatMapToDouble(r -> DoubleStream.of(r.value(), r.low(), r.high(), r.mark()))
            .filter(Double::isFinite)
            .boxed()
            .toList();
    if (base == Base.ZERO) {
      double most = values.stream().mapToDouble(v -> v).max().orElse(1);
      double least = Math.min(0, values.stream().mapToDouble(v -> v).min().orElse(0));
      double shown = Math.max(most, Double.isNaN(reference) ? 0 : reference);
      return new Scale(1.03 * least, shown > 0 ? 1.03 * shown : 1, false);
    }
    if (base == Base.ONE) {
      return Scale.around(Stream.concat(values.stream(), Stream.of(0.8, 1.25)).toList());
    }
    return Scale.of(values, true);
  }

  @Override
  public void draw(Sheet sheet) {
    Heading heading = heading();
    heading.draw(sheet, MARGIN, MARGIN / 2.0);
    legend().draw(sheet, MARGIN, MARGIN / 2.0 + heading.height());
    Scale scale = scale();
    double end = height() - BELOW;
    for (double tick : scale.ticks(6)) {
      double x = x(scale, tick);
      sheet.line(x, top() - 4, x, end + 4, Ink.EDGE);
      sheet.text(x, end + Sheet.LINE, label(tick), Sheet.Anchor.MIDDLE, Ink.SOFT);
    }
    sheet.text(left() + AXIS / 2.0, end + 2 * Sheet.LINE + 2, axis, Sheet.Anchor.MIDDLE, Ink.SOFT);
    double y = top();
    for (int n = 0; n < rows.size(); n++) {
      Row row = rows.get(n);
      draw(sheet, scale, row, y + (row.afterGap() ? GAP : 0));
      y += height(n);
    }
    if (Double.isFinite(reference)) {
      sheet.line(x(scale, reference), top() - 4, x(scale, reference), end + 4, Ink.SOFT);
    }
  }

  private String label(double tick) {
    String suffix = percent ? " %" : base == Base.ONE ? " x" : "";
    return Scale.label(percent ? Math.round(1e6 * tick) / 1e4 : tick) + suffix;
  }

  private double x(Scale scale, double value) {
    return left() + AXIS * Math.max(0, Math.min(1, scale.at(value)));
  }

  private void draw(Sheet sheet, Scale scale, Row row, double from) {
    double y = from;
    List<String> lines = labelLines(row);
    for (int n = 0; n < lines.size(); n++) {
      double baseline = from + (n + 1) * Sheet.LINE - 3;
      if (labelsAbove) {
        sheet.clear(MARGIN, baseline - Sheet.LINE + 4, Sheet.width(lines.get(n)), Sheet.LINE - 1);
        sheet.text(MARGIN, baseline, lines.get(n), Sheet.Anchor.START, Ink.TEXT);
      } else {
        sheet.text(left() - 8, baseline, lines.get(n), Sheet.Anchor.END, Ink.TEXT);
      }
    }
    y += labelsAbove ? lines.size() * Sheet.LINE : 0;
    double middle = y + ROW / 2.0;
    Ink ink = series.getOrDefault(row.series(), Ink.series(0));
    if (Double.isFinite(row.value())) {
      double at = x(scale, row.value());
      if (base == Base.NONE) {
        sheet.line(left(), middle, left() + AXIS, middle, Ink.EDGE);
        sheet.bar(
            x(scale, row.low()),
            middle - 2,
            Math.max(1, x(scale, row.high()) - x(scale, row.low())),
            4,
            ink,
            row.note());
        sheet.dot(at, middle, 5, ink, row.note());
      } else {
        double zero = x(scale, base == Base.ONE ? 1 : 0);
        sheet.bar(
            Math.min(at, zero), y + 2, Math.max(1, Math.abs(at - zero)), ROW - 5, ink, row.note());
      }
    }
    if (Double.isFinite(row.mark())) {
      sheet.ring(x(scale, row.mark()), middle, 4, Ink.TEXT, markName);
    }
    sheet.text(left() + AXIS + 12, middle + 4, row.note(), Sheet.Anchor.START, Ink.TEXT);
  }
}
