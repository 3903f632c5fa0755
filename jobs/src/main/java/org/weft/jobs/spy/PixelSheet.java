package org.weft.jobs.spy;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import javax.imageio.ImageIO;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** A sheet of pixels, written as PNG. */
final class PixelSheet implements Sheet {
  private final BufferedImage pixels;
  private final Graphics2D graphics;

  PixelSheet(int width, int height) {
    pixels = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    graphics = pixels.createGraphics();
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_NEAREST_NEIGHBOR);
    graphics.setFont(FONT);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, width, height);
  }

  @Override
  public void text(int x, int y, String text, Anchor anchor, Color colour) {
    int width = graphics.getFontMetrics().stringWidth(text);
    int left =
        switch (anchor) {
          case START -> x;
          case MIDDLE -> x - width / 2;
          case END -> x - width;
        };
    graphics.setColor(colour);
    graphics.drawString(text, left, y);
  }

  @Override
  public void picture(int x, int y, int width, int height, BufferedImage picture) {
    graphics.drawImage(picture, x, y, width, height, null);
  }

  @Override
  public void frame(int x, int y, int width, int height, Color colour) {
    graphics.setColor(colour);
    graphics.drawRect(x - 1, y - 1, width + 1, height + 1);
  }

  @Override
  public void line(int x1, int y1, int x2, int y2, Color colour) {
    graphics.setColor(colour);
    graphics.drawLine(x1, y1, x2, y2);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    graphics.dispose();
    try (ImageOutputStream image = new MemoryCacheImageOutputStream(out)) {
      ImageIO.write(pixels, "png", image); // not through a file for temporary data
    }
  }
}
