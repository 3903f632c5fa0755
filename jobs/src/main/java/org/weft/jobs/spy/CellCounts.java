package org.weft.jobs.spy;

import java.awt.image.BufferedImage;
import java.util.List;
import java.util.Locale;
import org.weft.jobs.chart.Sheet;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/**
 * Entries of a tensor gathered by two of its modes: how many fall into each cell, and the mean of
 * their values.
 */
final class CellCounts {
  private static final double DENSE = 0.5;
  private static final int NONE = 0xffffff;

  /** Up to here nobody sees that the shades of counts are logarithmic. */
  private static final int EVEN = 4;

  private final int down;
  private final int across;
  private final long[] counts;
  private final double[] sums;
  private final boolean showsValues;
  private boolean hasNonfinite;
  private long most;
  private double low = Double.POSITIVE_INFINITY;
  private double high = Double.NEGATIVE_INFINITY;

  /**
   * Gathers.
   *
   * @param modeDown the mode that goes down
   * @param down cells of it, at most its size; {@code across} likewise
   */
  CellCounts(
      int modeDown,
      int modeAcross,
      TensorShape shape,
      List<CooBlock> blocks,
      int down,
      int across) {
    this.down = down;
    this.across = across;
    counts = new long[down * across];
    sums = new double[down * across];
    for (CooBlock block : blocks) {
      for (int e = 0; e < block.size(); e++) {
        int y = scaled(block.coordinate(modeDown, e), shape.size(modeDown), down);
        int x = scaled(block.coordinate(modeAcross, e), shape.size(modeAcross), across);
        most = Math.max(most, ++counts[y * across + x]);
        sums[y * across + x] += block.value(e);
      }
    }
    for (int cell = 0; cell < counts.length; cell++) {
      if (counts[cell] > 0 && Double.isFinite(mean(cell))) {
        low = Math.min(low, mean(cell));
        high = Math.max(high, mean(cell));
      } else if (counts[cell] > 0) {
        hasNonfinite = true;
      }
    }
    showsValues = high > low && (most == 1 || isDense(shape, blocks));
  }

  /** Where counts of entries would be the same nearly everywhere. */
  private static boolean isDense(TensorShape shape, List<CooBlock> blocks) {
    double all = 1;
    for (int mode = 0; mode < shape.order(); mode++) {
      all *= shape.size(mode);
    }
    return blocks.stream().mapToLong(CooBlock::size).sum() >= DENSE * all;
  }

  static int scaled(long coordinate, long size, int cells) {
    return (int) Math.min(cells - 1L, (long) ((double) coordinate * cells / size));
  }

  private double mean(int cell) {
    return sums[cell] / counts[cell];
  }

  /** A pixel for each cell. */
  BufferedImage picture() {
    BufferedImage picture = new BufferedImage(across, down, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < down; y++) {
      for (int x = 0; x < across; x++) {
        picture.setRGB(x, y, colour(y * across + x));
      }
    }
    return picture;
  }

  private int colour(int cell) {
    if (counts[cell] == 0) {
      return NONE;
    }
    if (!showsValues) {
      return shade(most <= 1 ? 1 : Math.log1p(counts[cell]) / Math.log1p(most));
    }
    return Double.isFinite(mean(cell)) ? ofValue(mean(cell)) : 0x808080;
  }

  /** Blue from light to nearly black. */
  private static int shade(double dark) {
    return mixed(new int[] {190, 215, 235}, new int[] {8, 16, 82}, dark);
  }

  /** As {@link #shade} of one sign; of both signs orange below 0 and blue above, light near 0. */
  private int ofValue(double value) {
    if (low >= 0 || high <= 0) {
      return shade((value - low) / (high - low));
    }
    double share = Math.abs(value) / Math.max(high, -low);
    return value < 0
        ? mixed(new int[] {250, 228, 206}, new int[] {140, 45, 4}, share)
        : mixed(new int[] {206, 224, 240}, new int[] {8, 48, 107}, share);
  }

  private static int mixed(int[] light, int[] full, double share) {
    int colour = 0;
    for (int part = 0; part < 3; part++) {
      colour = colour << 8 | (int) Math.round(light[part] + (full[part] - light[part]) * share);
    }
    return colour;
  }

  /** A pixel high: the colours from the least to the most; empty of one colour only. */
  BufferedImage bar(int width) {
    BufferedImage bar = new BufferedImage(width, 1, BufferedImage.TYPE_INT_RGB);
    double one = Math.log1p(1) / Math.log1p(Math.max(1, most));
    for (int i = 0; i < width; i++) {
      double share = width < 2 ? 1 : (double) i / (width - 1);
      // Counts are as logarithmic as the shades, so that the bar darkens evenly.
      bar.setRGB(
          i, 0, showsValues ? ofValue(low + (high - low) * share) : shade(one + (1 - one) * share));
    }
    return bar;
  }

  /** Whether colours differ. */
  boolean hasScale() {
    return showsValues || most > 1;
  }

  boolean isEmpty() {
    return most == 0;
  }

  /** What the light end of the bar stands for. */
  String least() {
    return showsValues ? Sheet.number(low) : "1";
  }

  /** What the dark end of the bar stands for, and what is shown. */
  String legend() {
    if (showsValues) {
      String others = hasNonfinite ? "; grey: NaN or infinite" : "";
      return Sheet.number(high) + (most == 1 ? " value" : " mean value") + others;
    }
    String all = high == low && !hasNonfinite ? ", each value is " + Sheet.number(low) : "";
    return most == 0
        ? "no entries"
        : most == 1
            ? "1 entry in a cell" + all
            : String.format(Locale.ROOT, "%s in a cell", Counts.of(most, "entry"))
                + (most > EVEN ? ", logarithmic" : "");
  }
}
