package org.weft.jobs.spy;

import java.util.List;
import org.weft.jobs.chart.Ink;
import org.weft.jobs.chart.Sheet;
import org.weft.jobs.chart.Sheet.Anchor;

/**
 * Two modes of a tensor against each other: a picture of cells, titles above, coordinates along two
 * sides, and below it what its colours mean.
 *
 * @param version what the tensor is shown as
 * @param down the mode that goes down
 * @param across the mode that goes across; that which goes down, of a tensor of order 1
 * @param cells entries of each cell
 * @param width of the picture, to which cells are stretched
 * @param boundaries where partitions of the mode that goes down begin, in pixels of the picture
 */
record Panel(
    String version,
    Axis down,
    Axis across,
    CellCounts cells,
    int width,
    int height,
    int[] boundaries) {
  private static final int TITLES = 2 * Sheet.LINE + 6;

  /** Below the picture: coordinates, the mode's name, and what colours mean. */
  private static final int BELOW = 3 * Sheet.LINE + 12;

  private static final int TICK = 4;
  private static final int BAR = 72;

  /** From one coordinate to the next that is named. */
  private static final int APART = 24;

  /** A mode: its name and size. */
  record Axis(String name, long size) {}

  private String modes() {
    return down.equals(across)
        ? down.name() + " (down)"
        : down.name() + " (down) x " + across.name() + " (across)";
  }

  private List<Long> ticksDown() {
    return Ticks.of(
        down.size(),
        (before, after) ->
            position(after, down.size(), height) - position(before, down.size(), height) >= APART);
  }

  private List<Long> ticksAcross() {
    return down.equals(across) ? List.of() : Ticks.of(across.size(), this::isRoomAcross);
  }

  private boolean isRoomAcross(long before, long after) {
    int labels = Sheet.width(Ticks.label(before)) + Sheet.width(Ticks.label(after));
    int room = position(after, across.size(), width) - position(before, across.size(), width);
    return room >= labels / 2 + APART / 2;
  }

  /** Pixels left of the picture: what the coordinates of the mode that goes down take. */
  private int left() {
    return 2
        + TICK
        + ticksDown().stream().mapToInt(t -> Sheet.width(Ticks.label(t))).max().orElse(0);
  }

  /** Of all that belongs to the panel. */
  int fullWidth() {
    int ticks = width + (across.size() > 0 ? Sheet.width(Ticks.label(across.size())) / 2 : 0);
    int legend = Sheet.width(cells.least()) + BAR + 12 + Sheet.width(cells.legend());
    int boundary = boundaries.length == 0 ? 0 : 24 + Sheet.width(boundaryLegend());
    int titles = Math.max(Sheet.width(version), Sheet.width(modes()));
    int axis = Sheet.width(across.name());
    return left() + Math.max(Math.max(ticks, legend), Math.max(Math.max(boundary, titles), axis));
  }

  int fullHeight() {
    return TITLES + height + BELOW + (boundaries.length > 0 ? Sheet.LINE : 0);
  }

  private String boundaryLegend() {
    return "a partition of " + down.name() + " begins";
  }

  /** Draws the panel with its upper left corner at (x, y). */
  void draw(Sheet sheet, int x, int y) {
    int left = x + left();
    int top = y + TITLES;
    sheet.text(left, y + Sheet.LINE - 3, version, Anchor.START, Ink.TEXT);
    sheet.text(left, y + 2 * Sheet.LINE - 3, modes(), Anchor.START, Ink.SOFT);
    sheet.picture(left, top, width, height, cells.picture());
    sheet.frame(left, top, width, height, Ink.SOFT);
    for (long tick : ticksDown()) {
      int at = top + position(tick, down.size(), height);
      sheet.line(left - 1 - TICK, at, left - 1, at, Ink.SOFT);
      sheet.text(left - 3 - TICK, at + 4, Ticks.label(tick), Anchor.END, Ink.SOFT);
    }
    int below = top + height;
    for (long tick : ticksAcross()) {
      int at = left + position(tick, across.size(), width);
      sheet.line(at, below, at, below + TICK, Ink.SOFT);
      sheet.text(at, below + TICK + 12, Ticks.label(tick), Anchor.MIDDLE, Ink.SOFT);
    }
    if (!down.equals(across)) {
      sheet.text(left, below + 2 * Sheet.LINE + 2, across.name(), Anchor.START, Ink.SOFT);
    }
    for (int line : boundaries) {
      sheet.line(left - 6, top + line, left + width + 5, top + line, Ink.MARK);
    }
    legend(sheet, left, below + 3 * Sheet.LINE + 4);
  }

  private void legend(Sheet sheet, int x, int base) {
    int at = x;
    if (!cells.isEmpty()) {
      int width = cells.hasScale() ? BAR : BAR / 6;
      if (cells.hasScale()) {
        sheet.text(at, base, cells.least(), Anchor.START, Ink.SOFT);
        at += Sheet.width(cells.least()) + 2;
      }
      sheet.picture(at, base - 10, width, 10, cells.bar(width));
      sheet.frame(at, base - 10, width, 10, Ink.SOFT);
      at += width + 6;
    }
    sheet.text(at, base, cells.legend(), Anchor.START, Ink.SOFT);
    if (boundaries.length > 0) {
      sheet.line(x, base + Sheet.LINE - 4, x + 18, base + Sheet.LINE - 4, Ink.MARK);
      sheet.text(x + 24, base + Sheet.LINE, boundaryLegend(), Anchor.START, Ink.SOFT);
    }
  }

  /** The middle of a coordinate's slice, in pixels. */
  private static int position(long coordinate, long size, int pixels) {
    return (int) Math.min(pixels - 1L, (long) ((coordinate - 0.5) / size * pixels));
  }
}
