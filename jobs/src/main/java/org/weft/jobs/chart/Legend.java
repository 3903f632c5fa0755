package org.weft.jobs.chart;

import java.util.ArrayList;
import java.util.List;

/** What colours and signs mean: entries in lines, as many in a line as there is room for. */
final class Legend {
  private static final int SIGN = 14;
  private static final int GAP = 18;

  /** How an entry's sign is drawn, its middle at (x, y). */
  interface Sign {
    void draw(Sheet sheet, double x, double y);
  }

  private record Entry(Sign sign, String name) {
    int width() {
      return SIGN + Sheet.width(name);
    }
  }

  private final List<List<Entry>> lines = new ArrayList<>();
  private final int most;
  private int used;

  /**
   * @param most pixels of a line
   */
  Legend(int most) {
    this.most = most;
  }

  void add(Sign sign, String name) {
    Entry entry = new Entry(sign, name);
    if (lines.isEmpty() || used + entry.width() > most) {
      lines.add(new ArrayList<>());
      used = 0;
    }
    lines.get(lines.size() - 1).add(entry);
    used += entry.width() + GAP;
  }

  /** Of the entries in one line. */
  int height() {
    return lines.size() * (Sheet.LINE + 2);
  }

  /** Draws the entries, from (x, y) down. */
  void draw(Sheet sheet, double x, double y) {
    double base = y + Sheet.LINE - 4;
    for (List<Entry> line : lines) {
      double at = x;
      for (Entry entry : line) {
        entry.sign().draw(sheet, at + 5, base - 4);
        sheet.text(at + SIGN, base, entry.name(), Sheet.Anchor.START, Ink.SOFT);
        at += entry.width() + GAP;
      }
      base += Sheet.LINE + 2;
    }
  }
}
