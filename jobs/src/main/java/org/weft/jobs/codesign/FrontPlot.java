package org.weft.jobs.codesign;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Designs as an SVG picture: speed for a watt against speed for an area, the front filled. */
public final class FrontPlot {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 480;
  private static final int LEFT = 90;
  private static final int BOTTOM = 420;
  private static final int TOP = 60;
  private static final int RIGHT = 640;

  private FrontPlot() {}

  /** The picture's text; designs without power or area are left out. */
  public static String svg(CodesignReport report) {
    List<Prediction> all = report.predictions();
    List<Prediction> shown =
        all.stream().filter(p -> p.perWatt().isPresent() && p.perArea().isPresent()).toList();
    double across = most(shown, p -> p.perArea().orElse(0));
    double up = most(shown, p -> p.perWatt().orElse(0));
    StringBuilder svg = new StringBuilder();
    line(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"11\">",
        WIDTH,
        HEIGHT);
    line(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    line(
        svg,
        "<text x=\"12\" y=\"20\" font-size=\"14\">designs: filled is on the Pareto front, size is"
            + " speed</text>");
    line(
        svg,
        "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#888\"/>",
        LEFT,
        TOP,
        BOTTOM,
        RIGHT);
    line(
        svg,
        "<text x=\"%d\" y=\"%d\">GFLOP/s/mm^2, to %.4g</text>",
        RIGHT - 120,
        BOTTOM + 30,
        across);
    line(svg, "<text x=\"%d\" y=\"%d\">GFLOP/s/W, to %.4g</text>", 12, TOP - 10, up);
    double fastest = most(shown, Prediction::gigaFlops);
    for (Prediction p : shown) {
      double x = LEFT + (RIGHT - LEFT) * p.perArea().orElse(0) / across;
      double y = BOTTOM - (BOTTOM - TOP) * p.perWatt().orElse(0) / up;
      String fill = p.isOnFront(all) ? "#1b7fb5" : "white";
      line(
          svg,
          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"#1b7fb5\"/>",
          x,
          y,
          3 + 9 * p.gigaFlops() / fastest,
          fill);
      line(
          svg,
          "<text x=\"%.1f\" y=\"%.1f\">%s, %.1f GFLOP/s</text>",
          x + 14,
          y + 4,
          escape(p.design().name()),
          p.gigaFlops());
    }
    return svg.append("</svg>\n").toString();
  }

  private static double most(List<Prediction> all, ToDoubleFunction<Prediction> value) {
    return all.stream().mapToDouble(value).max().orElse(1);
  }

  private static void line(StringBuilder svg, String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
