package org.weft.jobs.report;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.weft.jobs.chart.Ink;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.chart.Sheet;
import org.weft.text.Counts;

/**
 * Draws the core of a Tucker model as panels side by side. A panel has a row for each column of the
 * first mode and a column for each of the second; it is the slice of the core at one column of
 * every other mode. The fuller the colour of a cell, the larger the entry.
 *
 * @param values of each panel: rows x columns
 * @param titles of the panels
 * @param most magnitude of an entry of the core
 * @param all panels, shown or not
 * @param axes the names of the first two modes
 * @param widest that the picture may be
 */
@SuppressWarnings("ArrayRecordComponent")
record CorePicture(
    List<double[][]> values,
    List<String> titles,
    double most,
    int all,
    List<String> axes,
    int widest)
    implements Picture {
  private static final int LEFT = 30;
  private static final int TOP = 40;
  private static final int GAP = 26;
  private static final int MOST_PANELS = 8;
  private static final int MOST_CELLS = 4000;
  private static final int NAMED = 14;

  static CorePicture of(Figures.Core core, List<Figures.Mode> modes, int widest) {
    int rows = core.ranks().get(0);
    int columns = core.ranks().size() > 1 ? core.ranks().get(1) : 1;
    int panels = core.values().length / (rows * columns);
    double[][][] slices = new double[panels][rows][columns];
    double[] squares = new double[panels];
    double most = 0;
    for (int at = 0; at < core.values().length; at++) {
      double value = core.values()[at];
      int panel = at % panels;
      slices[panel][at / panels / columns][at / panels % columns] = value;
      squares[panel] += value * value;
      most = Math.max(most, Math.abs(value));
    }
    int shown = Math.max(1, Math.min(MOST_PANELS, MOST_CELLS / (rows * columns)));
    List<Integer> chosen =
        IntStream.range(0, panels)
            .boxed()
            .sorted(Comparator.comparingDouble((Integer panel) -> -squares[panel]))
            .limit(shown)
            .sorted()
            .toList();
    return new CorePicture(
        chosen.stream().map(panel -> slices[panel]).toList(),
        chosen.stream()
            .map(panel -> Sheet.cut(title(core.ranks(), modes, panel), widest - LEFT - GAP))
            .toList(),
        most,
        panels,
        modes.stream().limit(2).map(Figures.Mode::name).toList(),
        widest);
  }

  /** The columns of the modes from the third on. */
  private static String title(List<Integer> ranks, List<Figures.Mode> modes, int panel) {
    StringBuilder title = new StringBuilder();
    int rest = panel;
    for (int mode = ranks.size() - 1; mode > 1; mode--) {
      String between = title.isEmpty() ? "" : ", ";
      title.insert(0, modes.get(mode).name() + " " + rest % ranks.get(mode) + between);
      rest /= ranks.get(mode);
    }
    return title.toString();
  }

  private int rows() {
    return values.get(0).length;
  }

  private int columns() {
    return values.get(0)[0].length;
  }

  private int cell() {
    return Math.max(5, Math.min(22, 280 / Math.max(rows(), columns())));
  }

  private int panelWidth() {
    int named = titles.stream().mapToInt(Sheet::width).max().orElse(0);
    return Math.max(columns() * cell(), named) + GAP;
  }

  private int panelHeight() {
    return rows() * cell() + TOP;
  }

  private int across() {
    return Math.max(1, Math.min(values.size(), (widest - LEFT) / panelWidth()));
  }

  @Override
  public int width() {
    return LEFT + across() * panelWidth();
  }

  @Override
  public int height() {
    return (values.size() + across() - 1) / across() * panelHeight() + 4;
  }

  @Override
  public String said() {
    return caption()
        + String.format(Locale.ROOT, " The largest magnitude of an entry is %.4g.", most);
  }

  /** What the picture is of. */
  String caption() {
    String slices =
        all == 1
            ? "The core"
            : values.size() == all
                ? "The core in " + Counts.plain(all, "slice")
                : "The "
                    + values.size()
                    + " of the core's "
                    + Counts.plain(all, "slice")
                    + " that are largest";
    return slices
        + ": rows are columns of "
        + axes.get(0)
        + (axes.size() > 1 ? ", columns are those of " + axes.get(1) : "")
        + ". The fuller the colour, the larger the entry; orange is below 0.";
  }

  @Override
  public void draw(Sheet sheet) {
    int cell = cell();
    for (int panel = 0; panel < values.size(); panel++) {
      int left = LEFT + panel % across() * panelWidth();
      int top = TOP + panel / across() * panelHeight();
      sheet.text(left, top - 22, titles.get(panel), Sheet.Anchor.START, Ink.TEXT);
      for (int c = 0; c < columns(); c++) {
        if (cell >= NAMED || c % 5 == 0) {
          sheet.text(left + c * cell + cell / 2, top - 6, "" + c, Sheet.Anchor.MIDDLE, Ink.SOFT);
        }
      }
      for (int r = 0; r < rows(); r++) {
        if ((panel % across() == 0) && (cell >= NAMED || r % 5 == 0)) {
          sheet.text(LEFT - 6, top + r * cell + cell / 2 + 4, "" + r, Sheet.Anchor.END, Ink.SOFT);
        }
        for (int c = 0; c < columns(); c++) {
          double value = values.get(panel)[r][c];
          String place = titles.get(panel).isEmpty() ? "" : ", " + titles.get(panel);
          sheet.bar(
              left + c * cell,
              top + r * cell,
              cell - 1,
              cell - 1,
              Ink.shade(most == 0 ? 0 : value / most),
              String.format(Locale.ROOT, "%d and %d%s: %.4g", r, c, place, value));
        }
      }
    }
  }
}
