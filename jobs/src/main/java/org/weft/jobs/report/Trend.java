package org.weft.jobs.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.weft.jobs.chart.Ink;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.chart.Sheet;

/** The weights of a component over a mode of time, in the mode's own order: a small curve. */
record Trend(String mode, Figures.Line line) implements Picture {
  private static final int WIDTH = 320;

  /** On paper letters are 20 high, and stand neither in the curve nor in what follows. */
  private static final int LINE = 24;

  private static final int BOTTOM = 64;
  private static final int BASE = BOTTOM + LINE - 4;
  private static final int TOP = 4;
  private static final int APART = 12;

  /** Of a text in letters that are 12 high, what fits into a line on paper. */
  private static final int ROOM = WIDTH * 12 / 20;

  private static final int MANY = 100;

  @Override
  public int width() {
    return WIDTH;
  }

  @Override
  public int height() {
    return BASE + 8 + (fitOneLine() ? 0 : LINE);
  }

  private boolean fitOneLine() {
    return Sheet.width(line.first()) + APART + Sheet.width(line.last()) <= ROOM;
  }

  @Override
  public String said() {
    List<Double> weights = line.weights();
    int peak = 0;
    for (int i = 0; i < weights.size(); i++) {
      peak = Math.abs(weights.get(i)) > Math.abs(weights.get(peak)) ? i : peak;
    }
    return String.format(
        Locale.ROOT,
        "Weight by %s, from %s to %s; largest %d%% of the way through, %.3g",
        mode,
        line.first(),
        line.last(),
        weights.size() < 2 ? 0 : Math.round(100.0 * peak / (weights.size() - 1)),
        weights.isEmpty() ? 0 : weights.get(peak));
  }

  @Override
  public void draw(Sheet sheet) {
    List<Double> weights = line.weights();
    double high = Math.max(0, weights.stream().mapToDouble(d -> d).max().orElse(1));
    double low = Math.min(0, weights.stream().mapToDouble(d -> d).min().orElse(0));
    double unit = (BOTTOM - TOP) / (high > low ? high - low : 1);
    sheet.line(0, TOP + high * unit, WIDTH, TOP + high * unit, Ink.EDGE);
    List<Sheet.At> points = new ArrayList<>();
    for (int i = 0; i < weights.size(); i++) {
      double x = weights.size() < 2 ? WIDTH / 2.0 : 2 + (WIDTH - 4.0) * i / (weights.size() - 1);
      points.add(new Sheet.At(x, TOP + (high - weights.get(i)) * unit));
    }
    sheet.curve(points, weights.size() > MANY ? 1.1 : 2, Ink.series(0));
    int base = fitOneLine() ? BASE : BASE + LINE;
    sheet.text(0, BASE, Sheet.cut(line.first(), ROOM), Sheet.Anchor.START, Ink.SOFT);
    sheet.text(WIDTH, base, Sheet.cut(line.last(), ROOM), Sheet.Anchor.END, Ink.SOFT);
  }
}
