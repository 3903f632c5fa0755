package org.weft.jobs.report;

import static org.weft.jobs.report.Html.format;

import java.util.ArrayList;
import java.util.List;
import org.weft.jobs.chart.Axes;
import org.weft.jobs.output.RunReport;
import org.weft.text.Counts;

/** The sections about other models, outliers, and the run against its plan. */
record MeasuredSections(Html html, Figures figures) {
  void addTo() {
    scan();
    Figures.Outliers outliers = figures.measured().outliers();
    if (outliers != null) {
      outliers(outliers);
    }
    if (!figures.measured().steps().isEmpty()) {
      plan();
    }
  }

  private void scan() {
    List<Figures.RankFit> scan = figures.measured().scan();
    if (scan.size() < 2) {
      return;
    }
    html.section("ranks", "Ranks");
    html.add(
        "<p>Models of this tensor by their number of components. Where the curve bends, more"
            + " components add little.</p>");
    html.add("<figure>");
    List<Axes.Point> points =
        scan.stream()
            .map(
                fit ->
                    new Axes.Point(
                        fit.rank(), fit.fit(), format("%s: %.4f", fit.model(), fit.fit())))
            .toList();
    html.append(
        Axes.of("rank", "fit")
            .curve("fit", points)
            .said(
                format(
                    "Fit by rank, from rank %d to rank %d",
                    scan.get(0).rank(), scan.get(scan.size() - 1).rank()))
            .inPage());
    html.add("</figure>");
    html.table("Models", "model", " rank", " fit");
    scan.forEach(fit -> html.row(fit.model(), format("%d", fit.rank()), format("%.4f", fit.fit())));
    html.endTable();
    html.add("</section>");
  }

  private void outliers(Figures.Outliers found) {
    html.section("residuals", "Residuals and outliers");
    if (figures.ofModel()) {
      html.add(
          "<p>The model misses %.1f %% of the norm of the %s.</p>",
          100 * found.relativeError(), Counts.of(found.entries(), "known entry"));
    } else {
      html.add(
          "<p>The model misses %.1f %% of the tensor's norm; %.1f %% of the squared error lies at"
              + " the %s, the rest where the tensor has zeros.</p>",
          100 * found.relativeError(),
          100 * found.storedShare(),
          Counts.of(found.entries(), "stored entry"));
    }
    html.add("<figure>");
    Residuals.Histogram histogram = found.histogram();
    html.append(
        Axes.of("value minus model", "entries")
            .bars(histogram.low(), histogram.high(), histogram.counts())
            .said(
                format(
                    "Histogram of residuals at stored entries, from %.3g to %.3g",
                    histogram.low(), histogram.high()))
            .inPage());
    html.add("<figcaption>Residuals at stored entries; the height is logarithmic.</figcaption>");
    html.add("</figure>");
    html.add("<div class=\"tables\">");
    for (int mode = 0; mode < found.slices().size(); mode++) {
      html.table(
          "Slices of " + figures.modes().get(mode).name() + " with the largest squared error",
          "slice",
          " of the error",
          " leverage");
      for (Figures.Outlier slice : found.slices().get(mode)) {
        html.row(
            slice.label(),
            format("%.1f %%", 100 * slice.share()),
            format("%.2f", slice.leverage()));
      }
      html.endTable();
    }
    html.add("</div>");
    html.table("Entries farthest from the model", "entry", " value", " model");
    for (Figures.Worst entry : found.worst()) {
      html.row(
          entry.labels(),
          format("%.4g", entry.value()),
          Math.abs(entry.model()) < 1e-6 * Math.abs(entry.value())
              ? "0"
              : format("%.4g", entry.model()));
    }
    html.endTable();
    html.add(
        "<p>Leverage says how much a slice shapes its own row of the factor: 1 is a component for"
            + " this slice alone.</p></section>");
  }

  private void plan() {
    html.section("plan", "Plan and measurement");
    html.table(
        "Steps",
        "step",
        " calls",
        " predicted, ms",
        " measured, ms",
        " GFLOP/s",
        " GB/s",
        " slowest part");
    List<Axes.Point> points = new ArrayList<>();
    for (Figures.Step step : figures.measured().steps()) {
      html.row(
          step.name(),
          format("%,d", step.calls()),
          Double.isNaN(step.predicted()) ? "-" : RunReport.millis(step.predicted()),
          RunReport.millis(step.measured()),
          format("%.2f", step.gflops()),
          format("%.2f", step.gbps()),
          format("%.2f x", step.skew()));
      if (step.gflops() > 0 && step.gbps() > 0) {
        points.add(new Axes.Point(step.gflops() / step.gbps(), step.gflops(), step.name()));
      }
    }
    html.endTable();
    html.add(
        "<p>Times are of one call. The slowest part is the time of the slowest partition over the"
            + " mean; 1 is even.</p>");
    Figures.Machine machine = figures.measured().machine();
    if (!points.isEmpty() && machine.gflops() > 0 && machine.gbps() > 0) {
      html.add("<figure>");
      html.append(
          Axes.of("floating-point operations a byte", "GFLOP/s")
              .logarithmic()
              .roof(machine.gflops(), machine.gbps())
              .dots(points)
              .said(
                  format(
                      "Roofline: %s below %.0f GFLOP/s and %.0f GB/s",
                      Counts.plain(points.size(), "step"), machine.gflops(), machine.gbps()))
              .inPage());
      html.add(
          "<figcaption>Roofline: dots are steps; the line is what the plan expects of the machine's"
              + " arithmetic and memory. Bytes are those of operands and results, also where a"
              + " cache gives them.</figcaption></figure>");
    }
    html.add("</section>");
  }
}
