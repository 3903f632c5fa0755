package org.weft.jobs.report;

import static org.weft.jobs.report.Html.escape;
import static org.weft.jobs.report.Html.format;

import java.util.ArrayList;
import java.util.List;
import org.weft.jobs.chart.Axes;
import org.weft.jobs.report.RunFigures.Output;
import org.weft.jobs.report.RunFigures.Past;
import org.weft.jobs.report.RunFigures.Step;
import org.weft.text.Bytes;
import org.weft.text.Counts;

/** The run of a workflow as one HTML page: its steps on a line of time, outputs, and its log. */
public final class RunPage {
  private final RunFigures figures;
  private final Html html = new Html();

  private RunPage(RunFigures figures) {
    this.figures = figures;
  }

  /** The text of the page, in UTF-8. */
  public static byte[] of(RunFigures figures) {
    RunPage page = new RunPage(figures);
    page.sections();
    return page.html.page("Run of " + figures.workflow(), "The " + figures.how() + ".");
  }

  private void sections() {
    html.section("run", "What ran");
    html.definitions(figures.run());
    html.add("</section>");
    steps();
    if (figures.steps().stream().anyMatch(step -> !step.outputs().isEmpty())) {
      outputs();
    }
    if (figures.runs().size() > 1) {
      runs();
    }
    html.section("log", "What happened");
    html.add(
        "<details%s><summary>Log</summary><ol class=\"log\">",
        figures.failed() ? " open=\"\"" : "");
    figures.events().forEach(line -> html.add("<li>%s</li>", escape(line)));
    html.add("</ol></details></section>");
  }

  private void steps() {
    html.section("steps", "Steps");
    double end =
        figures.steps().stream()
            .filter(step -> !Double.isNaN(step.begins()))
            .mapToDouble(step -> step.begins() + step.seconds())
            .max()
            .orElse(0);
    html.table(
        "A bar is the time of a step's last attempt",
        "step",
        "state",
        "time",
        " seconds",
        " attempts",
        "why");
    for (Step step : figures.steps()) {
      html.add(
          "<tr><th scope=\"row\">%s</th><td%s>%s</td>",
          escape(step.id()), state(step), escape(step.state()));
      html.add("<td class=\"time\">%s</td>", bar(step, end));
      html.add(
          "<td class=\"number\">%.1f</td><td class=\"number\">%d</td>",
          step.seconds(), step.attempts());
      html.add("<td class=\"why\">%s</td></tr>", escape(step.reason()));
    }
    html.endTable();
    html.add("<dl>");
    for (Step step : figures.steps()) {
      html.add(
          "<div class=\"long\"><dt>%s</dt><dd>weft %s</dd></div>",
          escape(step.id()), escape(step.command()));
    }
    html.add("</dl></section>");
  }

  private static String state(Step step) {
    return step.state().equals("failed") ? " class=\"failed\"" : "";
  }

  private static String bar(Step step, double end) {
    if (Double.isNaN(step.begins()) || end <= 0) {
      return "";
    }
    return format(
        "<span class=\"bar%s\" aria-hidden=\"true\"><span style=\"margin-left:%.2f%%;width:%.2f%%\">"
            + "</span></span>",
        step.state().equals("failed") ? " below" : "",
        100 * step.begins() / end,
        Math.max(0.5, 100 * step.seconds() / end));
  }

  private void outputs() {
    html.section("outputs", "What was made");
    html.table("Files and folders", "output", "step", " size");
    for (Step step : figures.steps()) {
      for (Output output : step.outputs()) {
        html.add(
            "<tr><th scope=\"row\">%s</th><td>%s</td>", escape(output.uri()), escape(step.id()));
        html.add("<td class=\"number\">%s</td></tr>", Bytes.text(output.bytes()));
      }
    }
    html.endTable();
    html.add("</section>");
  }

  private void runs() {
    html.section("runs", "Runs");
    List<Past> runs = figures.runs();
    List<Axes.Point> points = new ArrayList<>();
    for (Past run : runs) {
      String said = format("%s: %.1f s", run.id(), run.seconds());
      points.add(new Axes.Point(points.size() + 1, run.seconds(), said));
    }
    html.add("<figure>");
    html.append(
        Axes.of("run", "seconds")
            .curve("seconds", points)
            .said(
                format(
                    "Seconds of the latest %s, the oldest first", Counts.plain(runs.size(), "run")))
            .inPage());
    html.add(
        "<figcaption>Seconds of the steps of each run, the oldest first.</figcaption></figure>");
    html.table("Runs of this workflow", "run", "parameters", " status", " seconds");
    for (Past run : runs) {
      html.add(
          "<tr><th scope=\"row\">%s</th><td>%s</td>", escape(run.id()), escape(run.parameters()));
      html.add(
          "<td class=\"number\">%s</td><td class=\"number\">%.1f</td></tr>",
          run.status() < 0 ? "none" : "" + run.status(), run.seconds());
    }
    html.endTable();
    html.add("</section>");
  }
}
