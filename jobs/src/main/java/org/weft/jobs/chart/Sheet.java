package org.weft.jobs.chart;

import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

/**
 * What a picture is drawn on. Units are pixels from the upper left corner; y of text is its base
 * line. A text {@code said} is shown when a pointer is on the mark, where there is one.
 */
public sealed interface Sheet permits PixelSheet, SvgSheet {
  Font FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
  Font TITLE = new Font(Font.SANS_SERIF, Font.PLAIN, 15);

  /** From one line of text to the next. */
  int LINE = 16;

  /** Which point of a text is given. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  /** A point of a curve. */
  record At(double x, double y) {}

  void title(double x, double y, String text);

  void text(double x, double y, String text, Anchor anchor, Ink ink);

  /** Text that goes up, its middle at (x, y). */
  void upward(double x, double y, String text, Ink ink);

  /** A picture without smoothing, stretched to {@code width} x {@code height}. */
  void picture(int x, int y, int width, int height, BufferedImage picture);

  void bar(double x, double y, double width, double height, Ink ink, String said);

  /** Takes away what is there, for text that lines would run through. */
  default void clear(double x, double y, double width, double height) {
    bar(x, y, width, height, Ink.PAPER, "");
  }

  void frame(double x, double y, double width, double height, Ink ink);

  void line(double x1, double y1, double x2, double y2, Ink ink);

  /** A line through points, {@code thick} pixels wide. */
  void curve(List<At> points, double thick, Ink ink);

  /** A filled circle. */
  void dot(double x, double y, double radius, Ink ink, String said);

  /** A circle that is not filled. */
  void ring(double x, double y, double radius, Ink ink, String said);

  /** Ends the picture and writes it. */
  void writeTo(OutputStream out) throws IOException;

  /** Pixels that {@code text} takes at most: viewers of SVG may have another font. */
  static int width(String text) {
    return width(FONT, text);
  }

  private static int width(Font font, String text) {
    double width = font.getStringBounds(text, new FontRenderContext(null, true, true)).getWidth();
    return (int) Math.ceil(1.1 * width) + 2;
  }

  /** A number of three digits, written as at axes. */
  static String number(double value) {
    return Double.isFinite(value)
        ? Scale.label(new BigDecimal(value).round(new MathContext(3)).doubleValue())
        : Scale.label(value);
  }

  /** Text of at most {@code most} pixels: of a longer one the beginning, and three dots. */
  static String cut(String text, int most) {
    if (width(text) <= most) {
      return text;
    }
    int[] letters = text.codePoints().toArray();
    int fits = letters.length;
    while (fits > 0 && width(new String(letters, 0, fits) + "...") > most) {
      fits--;
    }
    return new String(letters, 0, fits) + "...";
  }

  /** A title in lines of at most {@code most} pixels, cut between words where there are any. */
  static List<String> titleLines(String text, int most) {
    return lines(TITLE, text, most);
  }

  /** Text in lines of at most {@code most} pixels, cut between words where there are any. */
  static List<String> lines(String text, int most) {
    return lines(FONT, text, most);
  }

  private static List<String> lines(Font font, String text, int most) {
    List<String> lines = new ArrayList<>();
    String line = "";
    for (String word : text.strip().split("\\s+")) {
      String longer = line.isEmpty() ? word : line + " " + word;
      if (!line.isEmpty() && width(font, longer) > most) {
        lines.add(line);
        longer = word;
      }
      while (width(font, longer) > most && longer.length() > 1) {
        int fits = longer.length() - 1;
        while (fits > 1 && width(font, longer.substring(0, fits)) > most) {
          fits--;
        }
        lines.add(longer.substring(0, fits));
        longer = longer.substring(fits);
      }
      line = longer;
    }
    if (!line.isEmpty()) {
      lines.add(line);
    }
    return lines;
  }
}
