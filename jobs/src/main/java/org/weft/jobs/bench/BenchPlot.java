package org.weft.jobs.bench;

import java.util.Locale;

/**
 * The report as an SVG picture: for each workload a bar as long as the share of the bound that it
 * reaches, coloured by number of threads, and its figures beside it.
 */
public final class BenchPlot {
  private static final int ROW = 16;
  private static final int LABEL = 290;
  private static final int AXIS = 400;
  private static final int TOP = 64;
  private static final int WIDTH = 1180;
  private static final double LONGEST = 1.25; // of the bound; bars beyond are cut
  private static final String[] COLOURS = {"#1b7fb5", "#d95f02", "#1b9e77", "#7570b3"};

  private BenchPlot() {}

  /** The picture's text. */
  public static String svg(BenchReport report) {
    int height = TOP + report.rows().size() * ROW + 36;
    StringBuilder svg = new StringBuilder();
    line(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"11\">",
        WIDTH,
        height);
    line(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    line(svg, "<text x=\"12\" y=\"20\" font-size=\"14\">share of the bound</text>");
    line(
        svg,
        "<text x=\"12\" y=\"38\" fill=\"#555\">%s</text>",
        escape(String.join("; ", report.machine().values())));
    for (int percent = 0; percent <= 125; percent += 25) {
      double x = LABEL + AXIS * percent / (100 * LONGEST);
      line(
          svg,
          "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>",
          x,
          TOP - 6,
          x,
          height - 30,
          percent == 100 ? "#888" : "#ddd");
      line(
          svg,
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d %%</text>",
          x,
          height - 14,
          percent);
    }
    int y = TOP;
    for (Measured row : report.rows()) {
      bar(svg, row, y);
      y += ROW;
    }
    return svg.append("</svg>\n").toString();
  }

  private static void bar(StringBuilder svg, Measured row, int y) {
    double share = Math.max(0, Math.min(LONGEST, row.boundShare()));
    int threads = row.workload().threads();
    line(
        svg,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, %d thread%s</text>",
        LABEL - 6,
        y + ROW - 5,
        escape(
            (row.workload().kernel()
                    + " "
                    + BenchReport.shortened(row.tensor())
                    + " "
                    + row.workload().parameters())
                .strip()),
        threads,
        threads == 1 ? "" : "s");
    line(
        svg,
        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
        LABEL,
        y,
        Math.max(1, AXIS * share / LONGEST),
        ROW - 3,
        COLOURS[(threads - 1) % COLOURS.length]);
    line(
        svg,
        "<text x=\"%d\" y=\"%d\">%s</text>",
        LABEL + AXIS + 12,
        y + ROW - 5,
        String.format(
            Locale.ROOT,
            "%.3f ms, %.1f M nonzeros/s, %.1f GFLOP/s, %.1f GB/s, %.0f %%",
            row.medianSeconds() * 1e3,
            row.megaNonzerosPerSecond(),
            row.gigaFlops(),
            row.gigaBytes(),
            row.boundShare() * 100));
  }

  private static void line(StringBuilder svg, String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
