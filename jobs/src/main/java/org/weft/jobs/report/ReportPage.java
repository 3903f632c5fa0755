package org.weft.jobs.report;

import static org.weft.jobs.report.Html.escape;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.chart.Axes;
import org.weft.text.Counts;

/** The figures of a model as one HTML page. */
public final class ReportPage {
  private static final double CLOSE = 0.7;

  private final Figures figures;
  private final Html html = new Html();
  private double most = 1;

  private ReportPage(Figures figures) {
    this.figures = figures;
  }

  /** The text of the page, in UTF-8. */
  public static byte[] of(Figures figures) {
    ReportPage page = new ReportPage(figures);
    page.sections();
    return page.html.page(figures.title(), page.lead());
  }

  private void sections() {
    run();
    tensor();
    convergence();
    if (figures.core() == null) {
      components();
      if (hasOverlap()) {
        overlap();
      }
    } else {
      new CoreSections(html, figures, figures.core()).addTo();
    }
    if (!figures.residuals().isEmpty()) {
      html.section("recorded", "Residuals of the run");
      html.definitions(figures.residuals());
      add("</section>");
    }
    new MeasuredSections(html, figures).addTo();
  }

  private String lead() {
    List<Double> fits = figures.fits();
    int count = figures.components().size();
    return String.format(
        Locale.ROOT,
        "%s, %s %.4f after %s.",
        figures.core() == null
            ? Counts.plain(count, "component")
            : "A core of " + CoreSections.shape(figures.core()),
        figures.measure(),
        fits.isEmpty() ? 0 : fits.get(fits.size() - 1),
        Counts.plain(fits.size(), "iteration"));
  }

  private void run() {
    html.section("run", "What ran");
    html.definitions(figures.run());
    add("</section>");
  }

  private void tensor() {
    html.section("tensor", "Tensor");
    add(
        "<table><caption>Modes</caption><thead><tr><th scope=\"col\">mode</th>"
            + "<th scope=\"col\" class=\"number\">size</th></tr></thead><tbody>");
    for (Figures.Mode mode : figures.modes()) {
      add(
          "<tr><th scope=\"row\">%s</th><td class=\"number\">%,d</td></tr>",
          escape(mode.name()), mode.size());
    }
    add("</tbody></table>");
    html.definitions(figures.profile());
    add("</section>");
  }

  private void convergence() {
    html.section("convergence", "Convergence");
    if (figures.fits().isEmpty()) {
      add("<p>No iteration ran.</p></section>");
      return;
    }
    add("<figure>");
    html.append(convergence(figures));
    boolean isFit = figures.measure().equals("fit");
    add(
        "<figcaption>%s, after each iteration.</figcaption></figure>",
        isFit ? "Fit: 1 - |T - model| / |T|" : "The " + figures.measure());
    if (figures.starts().size() > 1) {
      add(
          "<p>%d %s ended with a %s of %s.</p>",
          figures.starts().size(),
          figures.ofModel() ? "runs" : "starts",
          figures.measure(),
          fits(figures.starts()));
    }
    add(
        "<details><summary>Figures</summary><table><thead><tr><th scope=\"col\">iteration</th>"
            + "<th scope=\"col\" class=\"number\">%s</th></tr></thead><tbody>",
        figures.measure());
    for (int n = 0; n < figures.fits().size(); n++) {
      add(
          "<tr><th scope=\"row\">%d</th><td class=\"number\">%.6f</td></tr>",
          n + 1, figures.fits().get(n));
    }
    add("</tbody></table></details></section>");
  }

  private static String fits(List<Double> fits) {
    return String.join(
        ", ", fits.stream().map(fit -> String.format(Locale.ROOT, "%.4f", fit)).toList());
  }

  private void components() {
    html.section("components", "Components");
    double all = figures.components().stream().mapToDouble(Figures.Component::share).sum();
    add(
        "<p>%s A component's share is its part of that; the longest bar is the largest share."
            + " Shares of components that cancel each other may be below 0.</p>",
        figures.ofModel()
            ? "Variation is the model's sum of squares over all cells, known or not."
            : Html.format(
                "The model has %.1f %% of the tensor's variation (sum of squares).", 100 * all));
    html.find();
    add("<div class=\"cards whole\">");
    most = figures.components().stream().mapToDouble(Figures.Component::share).max().orElse(1);
    for (Figures.Component component : figures.components()) {
      if (!component.isImage()) {
        card(component);
      }
    }
    if (figures.biases() != null) {
      card(figures.biases());
    }
    add("</div></section>");
  }

  private void card(Figures.Baseline biases) {
    add("<article aria-labelledby=\"biases\"><h3 id=\"biases\">Biases</h3>");
    add(
        "<p class=\"share\">%s of variation, with the mean. Every cell has the mean, %s, and"
            + " the biases of its labels.</p><div class=\"modes\">",
        LabelList.percent(biases.share()), LabelList.weight(biases.mean()));
    for (int mode = 0; mode < figures.modes().size(); mode++) {
      mode(mode, "", biases.lines().get(mode), biases.strongest().get(mode));
    }
    add("</div></article>");
  }

  /** The strongest labels of a mode, after a line if the mode is one of time. */
  private void mode(
      int mode, String of, Figures.@Nullable Line line, List<Figures.Weighted> strongest) {
    String name = figures.modes().get(mode).name();
    add("<div><h4>%s%s</h4>", escape(name), of);
    if (line != null && !strongest.isEmpty()) {
      html.append(new Trend(name, line).inPage(640));
    }
    LabelList.add(html, strongest);
    add("</div>");
  }

  private void card(Figures.Component component) {
    int number = component.number();
    add(
        "<article aria-labelledby=\"c%d\"><h3 id=\"c%d\">Component %d</h3>",
        number, number, number);
    Figures.Image image = component.image();
    if (image != null) {
      add(
          "<p class=\"share\">With component %d, its mirror image: %s exchanged. Together %s"
              + " of variation.</p>",
          image.number(),
          escape(image.exchanged()),
          LabelList.percent(component.share() + image.share()));
    }
    add(
        "<p class=\"share\"><span class=\"bar\" aria-hidden=\"true\"><span style=\"width:%.1f%%\">"
            + "</span></span> %s of variation, lambda %s</p><div class=\"modes\">",
        most <= 0 ? 0 : Math.max(0, 100 * component.share() / most),
        LabelList.percent(component.share()),
        LabelList.weight(component.lambda()));
    for (int mode = 0; mode < figures.modes().size(); mode++) {
      mode(mode, "", component.lines().get(mode), component.strongest().get(mode));
      if (image != null && image.strongest().containsKey(mode)) {
        mode(mode, ", of the mirror image", null, image.strongest().get(mode));
      }
    }
    add("</div></article>");
  }

  private boolean hasOverlap() {
    return figures.overlap().length > 1;
  }

  private void overlap() {
    html.section("overlap", "Overlap of components");
    double[][] cosines = figures.overlap();
    if (IntStream.range(0, cosines.length).allMatch(r -> cosines[r][r] == 0)) {
      add(
          "<p>All %s are zero, so no two of them overlap.%s</p></section>",
          Counts.plain(cosines.length, "component"),
          figures.biases() == null ? "" : " Every cell is the mean and the biases of its labels.");
      return;
    }
    List<Integer> numbers = figures.components().stream().map(Figures.Component::number).toList();
    StringBuilder close = new StringBuilder();
    int pairs = 0;
    for (int r = 0; r < cosines.length; r++) {
      for (int s = r + 1; s < cosines.length; s++) {
        if (Math.abs(cosines[r][s]) >= CLOSE) {
          close.append(pairs++ == 0 ? "" : ", ");
          close.append(
              String.format(
                  Locale.ROOT, "%d and %d (%.2f)", numbers.get(r), numbers.get(s), cosines[r][s]));
        }
      }
    }
    String said =
        pairs == 0
            ? "No two components overlap by " + CLOSE + " or more."
            : "Components that overlap by " + CLOSE + " or more: " + close + ".";
    add(
        "<p>%s Overlap is the product over the modes of the cosines of the components' columns: 1"
            + " for the same component, 0 for unrelated ones, below 0 for ones that cancel.</p>",
        said);
    add("<figure>");
    String all = "Overlap of " + Counts.plain(cosines.length, "component") + ". " + said;
    Overlap overlap = new Overlap(cosines, numbers, all);
    html.append(overlap.inPage(overlap.width()));
    add(
        "<figcaption>The fuller the colour, the larger the overlap; orange is below"
            + " 0.</figcaption></figure></section>");
  }

  /** What iterations raise, by iteration. */
  private static String convergence(Figures figures) {
    String measure = figures.measure();
    List<Double> fits = figures.fits();
    return Axes.of("iteration", measure)
        .curve("the best", points(fits))
        .faint(
            figures.ofModel() ? "other runs" : "other starts",
            figures.others().stream().map(ReportPage::points).toList())
        .said(
            String.format(
                Locale.ROOT,
                "%s by iteration: from %.4g in iteration 1 to %.4g in iteration %d",
                Character.toUpperCase(measure.charAt(0)) + measure.substring(1),
                fits.get(0),
                fits.get(fits.size() - 1),
                fits.size()))
        .inPage();
  }

  private static List<Axes.Point> points(List<Double> fits) {
    List<Axes.Point> points = new ArrayList<>();
    for (int n = 1; n <= fits.size(); n++) {
      double fit = fits.get(n - 1);
      points.add(new Axes.Point(n, fit, String.format(Locale.ROOT, "iteration %d: %.6g", n, fit)));
    }
    return points;
  }

  private void add(String format, Object... arguments) {
    html.add(format, arguments);
  }
}
