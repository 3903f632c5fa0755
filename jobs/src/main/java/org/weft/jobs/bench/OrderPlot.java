package org.weft.jobs.bench;

import java.util.Locale;

/**
 * Gains of orders as an SVG picture: for each tensor, kernel and number of threads a bar per order,
 * as long as its speed is over that without it.
 */
public final class OrderPlot {
  private static final int ROW = 14;
  private static final int LABEL = 320;
  private static final int AXIS = 480;
  private static final int TOP = 64;
  private static final int WIDTH = 1000;
  private static final double LONGEST = 4; // times as fast; bars beyond are cut
  private static final String[] COLOURS = {"#999999", "#1b7fb5", "#d95f02", "#1b9e77", "#7570b3"};

  private OrderPlot() {}

  /** The picture's text. */
  public static String svg(OrderReport report) {
    StringBuilder bars = new StringBuilder();
    int y = TOP;
    for (OrderedTensor tensor : report.tensors()) {
      for (OrderedTensor.Times times : tensor.times()) {
        for (int order = 0; order < tensor.orders().size(); order++) {
          String name = tensor.orders().get(order).name();
          if (isBase(times, name)) {
            continue;
          }
          bar(bars, tensor.name() + ", " + times.kernel() + ", " + name, times, name, order, y);
          y += ROW;
        }
      }
      y += ROW / 2;
    }
    StringBuilder svg = new StringBuilder();
    line(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"10\">",
        WIDTH,
        y + 40);
    line(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    line(
        svg,
        "<text x=\"12\" y=\"20\" font-size=\"14\">speed under an order over speed without</text>");
    line(
        svg,
        "<text x=\"12\" y=\"38\" fill=\"#555\">%s</text>",
        escape(String.join("; ", report.machine().values())));
    for (int half = 0; half <= 2 * LONGEST; half++) {
      double x = LABEL + AXIS * half / (2 * LONGEST);
      String colour = half == 2 ? "#888" : "#ddd";
      line(
          svg,
          "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>",
          x,
          TOP - 6,
          x,
          y + 4,
          colour);
      line(
          svg,
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.1f</text>",
          x,
          y + 20,
          half / 2.0);
    }
    return svg.append(bars).append("</svg>\n").toString();
  }

  /** The order that the others are compared with. */
  private static boolean isBase(OrderedTensor.Times times, String order) {
    return order.equals(OrderBench.SHUFFLED)
        || order.equals(OrderBench.GIVEN) && !times.seconds().containsKey(OrderBench.SHUFFLED);
  }

  private static void bar(
      StringBuilder svg, String label, OrderedTensor.Times times, String order, int colour, int y) {
    double gain = times.gain(order);
    line(
        svg,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, %d thread%s</text>",
        LABEL - 6,
        y + ROW - 4,
        escape(label),
        times.threads(),
        times.threads() == 1 ? "" : "s");
    line(
        svg,
        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
        LABEL,
        y,
        Math.max(1, AXIS * Math.min(LONGEST, gain) / LONGEST),
        ROW - 3,
        COLOURS[colour % COLOURS.length]);
    line(
        svg,
        "<text x=\"%d\" y=\"%d\">%.2f x, %.3f ms</text>",
        LABEL + AXIS + 12,
        y + ROW - 4,
        gain,
        times.of(order) * 1e3);
  }

  private static void line(StringBuilder svg, String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
