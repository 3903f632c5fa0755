package org.weft.jobs.report;

import static org.weft.jobs.report.Html.escape;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.weft.jobs.chart.Axes;
import org.weft.jobs.chart.Ink;

/** Figures as one HTML page: styles, pictures and the little script inside, no network. */
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
    return new ReportPage(figures).page().getBytes(StandardCharsets.UTF_8);
  }

  private String page() {
    add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
    add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    add("<title>%s</title>", escape(figures.title()));
    html.append("<style>\n")
        .append(resource("report.css"))
        .append(Ink.shadeRules())
        .append("</style>\n");
    add("</head>\n<body>\n<header>\n<h1>%s</h1>", escape(figures.title()));
    add("<p class=\"lead\">%s</p>", escape(lead()));
    add(
        "<nav aria-label=\"Sections\"><a href=\"#run\">What ran</a> <a href=\"#tensor\">Tensor</a>"
            + " <a href=\"#convergence\">Convergence</a> <a href=\"#components\">Components</a>"
            + " <a href=\"#overlap\">Overlap</a>%s</nav>",
        figures.measured().outliers() == null ? "" : " <a href=\"#residuals\">Residuals</a>");
    add("</header>\n<main>");
    run();
    tensor();
    convergence();
    components();
    overlap();
    if (!figures.residuals().isEmpty()) {
      html.section("recorded", "Residuals of the run");
      html.definitions(figures.residuals());
      add("</section>");
    }
    new MeasuredSections(html, figures).addTo();
    add("</main>");
    html.append("<script>\n").append(resource("report.js")).append("</script>\n");
    add("</body>\n</html>");
    return html.toString();
  }

  private String lead() {
    List<Double> fits = figures.fits();
    return String.format(
        Locale.ROOT,
        "%d component%s, %s %.4f after %d iteration%s.",
        figures.components().size(),
        figures.components().size() == 1 ? "" : "s",
        figures.measure(),
        fits.isEmpty() ? 0 : fits.get(fits.size() - 1),
        fits.size(),
        fits.size() == 1 ? "" : "s");
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
    html.append(convergence(figures.measure(), figures.fits()));
    boolean isFit = figures.measure().equals("fit");
    add(
        "<figcaption>%s, after each iteration.</figcaption></figure>",
        isFit ? "Fit: 1 - |T - model| / |T|" : "The " + figures.measure());
    if (figures.starts().size() > 1) {
      add(
          "<p>%d starts ended with a %s of %s.</p>",
          figures.starts().size(), figures.measure(), fits(figures.starts()));
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
        "<p>The model has %.1f %% of the tensor's variation (sum of squares). A component's share"
            + " is its part of that; shares of components that cancel each other may be below"
            + " 0.</p>",
        100 * all);
    add(
        "<p class=\"find\" hidden=\"\"><label>Find a label <input type=\"search\" id=\"find\""
            + " autocomplete=\"off\"/></label> <span id=\"found\" role=\"status\"></span></p>");
    add("<div class=\"cards\">");
    int rank = 1;
    most = figures.components().stream().mapToDouble(Figures.Component::share).max().orElse(1);
    for (Figures.Component component : figures.components()) {
      if (!component.isImage()) {
        card(rank, component);
      }
      rank++;
    }
    add("</div></section>");
  }

  private void card(int place, Figures.Component component) {
    double percent = 100 * component.share();
    add("<article aria-labelledby=\"c%d\"><h3 id=\"c%d\">Component %d</h3>", place, place, place);
    Figures.Image image = component.image();
    if (image != null) {
      add(
          "<p class=\"share\">With component %d, its mirror image: %s exchanged. Together %.1f %%"
              + " of variation.</p>",
          image.place(), escape(image.exchanged()), 100 * (component.share() + image.share()));
    }
    add(
        "<p class=\"share\"><span class=\"bar\" aria-hidden=\"true\"><span style=\"width:%.1f%%\">"
            + "</span></span> %.1f %% of variation, lambda %s</p>",
        most <= 0 ? 0 : Math.max(0, 100 * component.share() / most),
        percent,
        weight(component.lambda()));
    for (int mode = 0; mode < figures.modes().size(); mode++) {
      String name = figures.modes().get(mode).name();
      add("<h4>%s</h4>", escape(name));
      Figures.Line line = component.lines().get(mode);
      if (line != null) {
        html.append(new Trend(name, line).inPage(640));
      }
      labels(component.strongest().get(mode));
      if (image != null && image.strongest().containsKey(mode)) {
        add("<h4>%s, of the mirror image</h4>", escape(name));
        labels(image.strongest().get(mode));
      }
    }
    add("</article>");
  }

  private void labels(List<Figures.Weighted> labels) {
    if (labels.isEmpty()) {
      add("<p>No weights.</p>");
      return;
    }
    double most = Math.abs(labels.get(0).weight());
    add("<ol class=\"labels\">");
    for (Figures.Weighted label : labels) {
      add(
          "<li><span class=\"label\" dir=\"auto\">%s</span> <span class=\"number\">%s</span><span"
              + " class=\"bar%s\" aria-hidden=\"true\"><span"
              + " style=\"width:%.0f%%\"></span></span></li>",
          escape(label.label()),
          weight(label.weight()),
          label.weight() < 0 ? " below" : "",
          most == 0 ? 0 : 100 * Math.abs(label.weight()) / most);
    }
    add("</ol>");
  }

  private static String weight(double weight) {
    double size = Math.abs(weight);
    return size != 0 && (size < 1e-3 || size >= 1e5)
        ? String.format(Locale.ROOT, "%.2e", weight)
        : String.format(Locale.ROOT, size >= 100 ? "%.1f" : "%.3f", weight);
  }

  private void overlap() {
    html.section("overlap", "Overlap of components");
    double[][] cosines = figures.overlap();
    StringBuilder close = new StringBuilder();
    int pairs = 0;
    for (int r = 0; r < cosines.length; r++) {
      for (int s = r + 1; s < cosines.length; s++) {
        if (Math.abs(cosines[r][s]) >= CLOSE) {
          close.append(pairs++ == 0 ? "" : ", ");
          close.append(String.format(Locale.ROOT, "%d and %d (%.2f)", r + 1, s + 1, cosines[r][s]));
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
    if (cosines.length > 1) {
      add("<figure>");
      String all = "Overlap of " + cosines.length + " components. " + said;
      Overlap overlap = new Overlap(cosines, all);
      html.append(overlap.inPage(overlap.width()));
      add(
          "<figcaption>The fuller the colour, the larger the overlap; orange is below"
              + " 0.</figcaption></figure>");
    }
    add("</section>");
  }

  /** What iterations raise, by iteration. */
  private static String convergence(String measure, List<Double> fits) {
    List<Axes.Point> points = new ArrayList<>();
    for (int n = 1; n <= fits.size(); n++) {
      double fit = fits.get(n - 1);
      points.add(new Axes.Point(n, fit, String.format(Locale.ROOT, "iteration %d: %.6g", n, fit)));
    }
    return Axes.of("iteration", measure)
        .curve(measure, points)
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

  private static String resource(String name) {
    try (InputStream in = ReportPage.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(name, e);
    }
  }

  private void add(String format, Object... arguments) {
    html.add(format, arguments);
  }
}
