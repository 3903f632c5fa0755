package org.weft.jobs.spy;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.weft.jobs.spy.Sheet.Anchor;

/**
 * Two modes of a tensor against each other: a picture of cells, titles above, coordinates along two
 * sides, and below it what its colours mean.
 *
 * @param version what the tensor is shown as
 * @param down the mode that goes down
 * @param across the mode that goes across; null of a tensor of order 1
 * @param cells a pixel for each cell
 * @param width of the picture, to which cells are stretched
 * @param most entries of a cell
 * @param boundaries where partitions of the mode that goes down begin, in pixels of the picture
 */
record Panel(
    String version,
    Axis down,
    Axis across,
    BufferedImage cells,
    int width,
    int height,
    long most,
    int[] boundaries) {
  private static final Color BOUNDARY = new Color(0xd6, 0x45, 0x2c);
  private static final int TITLES = 2 * Sheet.LINE + 6;
  private static final int BELOW = 4 * Sheet.LINE + 12;
  private static final int TICK = 4;
  private static final int BAR = 72;

  /** A mode: its name and size. */
  record Axis(String name, long size) {}

  /** White without entries, then from light blue to nearly black. */
  static int shade(long count, long most) {
    if (count == 0) {
      return 0xffffff;
    }
    double dark = most <= 1 ? 1 : Math.log1p(count) / Math.log1p(most);
    int red = (int) (190 * (1 - dark) + 8);
    int green = (int) (215 * (1 - dark) + 16);
    int blue = (int) (235 * (1 - 0.65 * dark));
    return red << 16 | green << 8 | blue;
  }

  private String modes() {
    return down.equals(across)
        ? down.name() + " (down)"
        : down.name() + " (down) x " + across.name() + " (across)";
  }

  private List<Long> ticksDown() {
    return Ticks.of(down.size(), Math.max(2, height / 28));
  }

  private List<Long> ticksAcross() {
    int label = Sheet.width(Ticks.label(across.size())) + 12;
    return down.equals(across) ? List.of() : Ticks.of(across.size(), Math.max(2, width / label));
  }

  private String legend() {
    return most == 0
        ? "no entries"
        : most == 1
            ? "1 entry in a cell"
            : String.format(Locale.ROOT, "%,d entries in a cell", most);
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
    int legend = Sheet.width("1") + BAR + 12 + Sheet.width(legend());
    int boundary = boundaries.length == 0 ? 0 : 24 + Sheet.width(boundaryLegend());
    int titles = Math.max(Sheet.width(version), Sheet.width(modes()));
    int axis = Sheet.width(across.name());
    return left() + Math.max(Math.max(ticks, legend), Math.max(Math.max(boundary, titles), axis));
  }

  int fullHeight() {
    return TITLES + height + BELOW;
  }

  private String boundaryLegend() {
    return "a partition of " + down.name() + " begins";
  }

  /** Draws the panel with its upper left corner at (x, y). */
  void draw(Sheet sheet, int x, int y) throws IOException {
    int left = x + left();
    int top = y + TITLES;
    sheet.text(left, y + Sheet.LINE - 3, version, Anchor.START, Color.BLACK);
    sheet.text(left, y + 2 * Sheet.LINE - 3, modes(), Anchor.START, Color.DARK_GRAY);
    sheet.picture(left, top, width, height, cells);
    sheet.frame(left, top, width, height, Color.GRAY);
    for (long tick : ticksDown()) {
      int at = top + position(tick, down.size(), height);
      sheet.line(left - 1 - TICK, at, left - 1, at, Color.GRAY);
      sheet.text(left - 3 - TICK, at + 4, Ticks.label(tick), Anchor.END, Color.DARK_GRAY);
    }
    int below = top + height;
    for (long tick : ticksAcross()) {
      int at = left + position(tick, across.size(), width);
      sheet.line(at, below, at, below + TICK, Color.GRAY);
      sheet.text(at, below + TICK + 12, Ticks.label(tick), Anchor.MIDDLE, Color.DARK_GRAY);
    }
    if (!down.equals(across)) {
      sheet.text(left, below + 2 * Sheet.LINE + 2, across.name(), Anchor.START, Color.DARK_GRAY);
    }
    for (int line : boundaries) {
      sheet.line(left - 6, top + line, left + width + 5, top + line, BOUNDARY);
    }
    legend(sheet, left, below + 3 * Sheet.LINE + 4);
  }

  private void legend(Sheet sheet, int x, int base) throws IOException {
    int at = x;
    if (most > 1) {
      sheet.text(at, base, "1", Anchor.START, Color.DARK_GRAY);
      at += Sheet.width("1") + 2;
      BufferedImage bar = new BufferedImage(BAR, 1, BufferedImage.TYPE_INT_RGB);
      for (int i = 0; i < BAR; i++) {
        // As logarithmic as the shades, so that the bar darkens evenly.
        double log = Math.log1p(1) + (Math.log1p(most) - Math.log1p(1)) * i / (BAR - 1);
        bar.setRGB(i, 0, shade(Math.max(1, Math.round(Math.expm1(log))), most));
      }
      sheet.picture(at, base - 10, BAR, 10, bar);
      sheet.frame(at, base - 10, BAR, 10, Color.GRAY);
      at += BAR + 6;
    } else if (most == 1) {
      BufferedImage one = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB);
      one.setRGB(0, 0, shade(1, 1));
      sheet.picture(at, base - 10, 10, 10, one);
      at += 16;
    }
    sheet.text(at, base, legend(), Anchor.START, Color.DARK_GRAY);
    if (boundaries.length > 0) {
      sheet.line(x, base + Sheet.LINE - 4, x + 18, base + Sheet.LINE - 4, BOUNDARY);
      sheet.text(x + 24, base + Sheet.LINE, boundaryLegend(), Anchor.START, Color.DARK_GRAY);
    }
  }

  /** The middle of a coordinate's slice, in pixels. */
  private static int position(long coordinate, long size, int pixels) {
    return (int) Math.min(pixels - 1L, (long) ((coordinate - 0.5) / size * pixels));
  }
}
