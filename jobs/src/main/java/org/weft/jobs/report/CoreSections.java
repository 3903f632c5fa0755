package org.weft.jobs.report;

import static org.weft.jobs.report.Html.escape;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The sections of a page that show a Tucker model: its core, and the columns of each mode. */
final class CoreSections {
  /** Of the picture of the core, on wide and on narrow screens. */
  private static final int WIDE = 640;

  private static final int NARROW = 340;

  private final Html html;
  private final Figures figures;
  private final Figures.Core core;

  CoreSections(Html html, Figures figures, Figures.Core core) {
    this.html = html;
    this.figures = figures;
    this.core = core;
  }

  /** {@code 10 x 10 x 4}. */
  static String shape(Figures.Core core) {
    return core.ranks().stream().map(String::valueOf).collect(Collectors.joining(" x "));
  }

  void addTo() {
    core();
    for (int mode = 0; mode < core.columns().size(); mode++) {
      columns(mode);
    }
  }

  private void core() {
    html.section("core", "Core");
    html.add(
        "<p>The core has %.1f %% of the tensor's variation (sum of squares). An entry of the core"
            + " couples one column of each mode. Columns are numbered from 0. Columns are unique"
            + " only up to a rotation of a mode's columns that is undone in the core.</p>",
        100 * core.share());
    CorePicture picture = CorePicture.of(core, figures.modes(), WIDE);
    CorePicture narrow = CorePicture.of(core, figures.modes(), NARROW);
    html.add("<figure>");
    html.append(picture.inPage(picture.width(), "on-wide"));
    html.append(narrow.inPage(narrow.width(), "on-narrow"));
    html.add("<figcaption>%s</figcaption></figure>", escape(picture.caption()));
    html.table("Largest entries of the core", "columns", " value", " of the core");
    for (Figures.Entry entry : core.entries()) {
      List<String> columns = new ArrayList<>();
      for (int mode = 0; mode < entry.columns().size(); mode++) {
        columns.add(figures.modes().get(mode).name() + " " + entry.columns().get(mode));
      }
      html.row(
          String.join(", ", columns),
          LabelList.weight(entry.value()),
          LabelList.percent(entry.share()));
    }
    html.endTable();
    html.find();
    html.add("</section>");
  }

  private void columns(int mode) {
    String name = figures.modes().get(mode).name();
    List<Figures.Column> columns = core.columns().get(mode);
    html.section("columns" + mode, "Columns of " + escape(name));
    html.add("<div class=\"cards\">");
    double most = columns.stream().mapToDouble(Figures.Column::share).max().orElse(1);
    for (Figures.Column column : columns) {
      String id = "m" + mode + "c" + column.number();
      html.add(
          "<article aria-labelledby=\"%s\"><h3 id=\"%s\">%s, column %d</h3>",
          id, id, escape(name), column.number());
      html.add(
          "<p class=\"share\"><span class=\"bar\" aria-hidden=\"true\"><span"
              + " style=\"width:%.1f%%\"></span></span> %s of the core</p>",
          most <= 0 ? 0 : 100 * column.share() / most, LabelList.percent(column.share()));
      Figures.Line line = column.line();
      if (line != null) {
        html.append(new Trend(name, line).inPage(640));
      }
      LabelList.add(html, column.strongest());
      html.add("</article>");
    }
    html.add("</div></section>");
  }
}
