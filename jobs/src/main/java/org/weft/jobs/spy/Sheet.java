package org.weft.jobs.spy;

import java.awt.Color;
import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;

/**
 * What a picture is drawn on. Units are pixels from the upper left corner; y of text is its base
 * line.
 */
sealed interface Sheet permits PixelSheet, SvgSheet {
  Font FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
  int LINE = 16;

  /** Which point of a text is given. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  void text(int x, int y, String text, Anchor anchor, Color colour);

  /** A picture without smoothing, stretched to {@code width} x {@code height}. */
  void picture(int x, int y, int width, int height, BufferedImage picture) throws IOException;

  void frame(int x, int y, int width, int height, Color colour);

  void line(int x1, int y1, int x2, int y2, Color colour);

  void writeTo(OutputStream out) throws IOException;

  /** Pixels that {@code text} takes at most: viewers of SVG may have another font. */
  static int width(String text) {
    double width = FONT.getStringBounds(text, new FontRenderContext(null, true, true)).getWidth();
    return (int) Math.ceil(1.1 * width) + 2;
  }
}
