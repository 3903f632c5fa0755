package org.weft.planner.tune;

import java.util.List;
import java.util.Locale;

/**
 * The timed variants as an SVG picture: one bar each on a logarithmic axis, the fastest on top, a
 * ring where the cost model expected it, and the untuned variant in another colour.
 */
public final class TuningPlot {
  private static final int ROW = 18;
  private static final int LEFT = 20;
  private static final int AXIS = 560;
  private static final int TOP = 56;
  private static final int WIDTH = 1500;

  private TuningPlot() {}

  /** The picture's text. */
  public static String svg(TuningResult result) {
    List<TuningResult.Trial> trials = result.trials();
    double least = Double.MAX_VALUE;
    double most = 0;
    for (TuningResult.Trial t : trials) {
      least = Math.min(least, Math.min(t.medianSeconds(), t.predictedSeconds()));
      most = Math.max(most, Math.max(t.medianSeconds(), t.predictedSeconds()));
    }
    double low = Math.floor(Math.log10(Math.max(least, 1e-9)));
    double high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(most, 1e-9))));
    int height = TOP + trials.size() * ROW + 40;
    StringBuilder svg = new StringBuilder();
    line(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"11\">",
        WIDTH,
        height);
    line(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    line(
        svg,
        "<text x=\"%d\" y=\"20\" font-size=\"14\">%s</text>",
        LEFT,
        escape(result.expression()));
    line(
        svg,
        "<text x=\"%d\" y=\"38\" fill=\"#555\">median seconds of the kernel; ring: predicted;"
            + " %d variants, %d illegal, %d pruned</text>",
        LEFT,
        result.enumerated(),
        result.illegal(),
        result.pruned());
    for (int decade = (int) low; decade <= high; decade++) {
      double x = x(Math.pow(10, decade), low, high);
      line(
          svg,
          "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>",
          x,
          TOP - 6,
          x,
          height - 30);
      line(
          svg,
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">1e%d s</text>",
          x,
          height - 14,
          decade);
    }
    for (int i = 0; i < trials.size(); i++) {
      bar(svg, trials.get(i), TOP + i * ROW, low, high);
    }
    return svg.append("</svg>\n").toString();
  }

  private static void bar(
      StringBuilder svg, TuningResult.Trial trial, int y, double low, double high) {
    double end = x(trial.medianSeconds(), low, high);
    line(
        svg,
        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
        LEFT,
        y,
        Math.max(1, end - LEFT),
        ROW - 5,
        trial.untuned() ? "#d95f02" : "#1b7fb5");
    line(
        svg,
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"none\" stroke=\"black\"/>",
        x(trial.predictedSeconds(), low, high),
        y + (ROW - 5) / 2.0);
    line(
        svg,
        "<text x=\"%d\" y=\"%d\">%s ms  %s</text>",
        LEFT + AXIS + 16,
        y + ROW - 8,
        String.format(Locale.ROOT, "%.3f", trial.medianSeconds() * 1e3),
        escape(trial.variant() + (trial.untuned() ? "  (without tuning)" : "")));
  }

  private static double x(double seconds, double low, double high) {
    double share = (Math.log10(Math.max(seconds, 1e-9)) - low) / (high - low);
    return LEFT + AXIS * Math.max(0, Math.min(1, share));
  }

  private static void line(StringBuilder svg, String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
