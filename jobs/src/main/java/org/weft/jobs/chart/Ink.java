package org.weft.jobs.chart;

import java.awt.Color;

/**
 * A colour by its meaning. In a page it is a class of the style sheet, so that it follows light,
 * dark and print; in a picture of its own it is the colour itself.
 *
 * @param name of the class
 * @param colour on white
 */
public record Ink(String name, Color colour) {
  /** Titles. */
  public static final Ink TEXT = new Ink("ink", new Color(0x1c2430));

  /** Names and numbers along axes, and bounds. */
  public static final Ink SOFT = new Ink("soft", new Color(0x566072));

  /** Lines to read values by. */
  public static final Ink EDGE = new Ink("edge", new Color(0xd5dbe3));

  /** What everything is drawn on. */
  static final Ink PAPER = new Ink("paper", Color.WHITE);

  /** What is to be seen on top of all else. */
  public static final Ink MARK = new Ink("mark", new Color(0xd6452c));

  private static final int[] SERIES = {0x1b6fa8, 0xc8570a, 0x1b9e77, 0x7570b3};
  private static final int SHADES = 10;

  /** The colour of series {@code number}, from 0; they repeat. */
  public static Ink series(int number) {
    int series = number % SERIES.length;
    return new Ink("s" + series, new Color(SERIES[series]));
  }

  /**
   * A shade of a value: blue from 0 up to 1, orange below 0, in eleven steps. What rounds to 0 has
   * one shade, whatever its sign.
   *
   * @param value from -1 to 1
   */
  public static Ink shade(double value) {
    int step = (int) Math.round(SHADES * Math.min(1, Math.abs(value)));
    boolean isBelow = value < 0 && step > 0;
    Color full = new Color(SERIES[isBelow ? 1 : 0]);
    double share = opacity(step);
    return new Ink(
        (isBelow ? "n" : "p") + step,
        new Color(
            over(full.getRed(), share), over(full.getGreen(), share), over(full.getBlue(), share)));
  }

  private static int over(int full, double share) {
    return (int) Math.round(255 + (full - 255) * share);
  }

  private static double opacity(int step) {
    return 0.06 + 0.94 * step / SHADES;
  }

  /** The rules of a style sheet for all shades, over the page's own colour. */
  public static String shadeRules() {
    StringBuilder css = new StringBuilder();
    for (int step = 0; step <= SHADES; step++) {
      css.append(
          String.format(
              java.util.Locale.ROOT,
              ".p%1$d{color:var(--accent);fill-opacity:%2$.2f}"
                  + ".n%1$d{color:var(--below);fill-opacity:%2$.2f}%n",
              step,
              opacity(step)));
    }
    return css.toString();
  }
}
