package org.weft.jobs.chart;

import java.util.List;

/** A title and what is said below it, in as many lines as they take. */
record Heading(String title, String below, int most) {
  private static final int TITLE_LINE = 20;

  private List<String> titles() {
    return Sheet.titleLines(title, most);
  }

  private List<String> lines() {
    return Sheet.lines(below, most);
  }

  int height() {
    int titles = titles().size() * TITLE_LINE;
    int lines = lines().size() * Sheet.LINE;
    return titles + lines + (titles + lines > 0 ? 8 : 0);
  }

  void draw(Sheet sheet, double x, double y) {
    double base = y;
    for (String line : titles()) {
      base += TITLE_LINE;
      sheet.title(x, base - 4, line);
    }
    for (String line : lines()) {
      base += Sheet.LINE;
      sheet.text(x, base - 4, line, Sheet.Anchor.START, Ink.SOFT);
    }
  }
}
