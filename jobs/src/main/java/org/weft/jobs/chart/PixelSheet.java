package org.weft.jobs.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import javax.imageio.ImageIO;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** A sheet of pixels, written as PNG. */
final class PixelSheet implements Sheet {
  private final BufferedImage pixels;
  private final Graphics2D graphics;

  /**
   * @param scale pixels of the file for a pixel of the sheet
   */
  PixelSheet(int width, int height, int scale) {
    pixels = new BufferedImage(scale * width, scale * height, BufferedImage.TYPE_INT_RGB);
    graphics = pixels.createGraphics();
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_NORMALIZE);
    graphics.setRenderingHint(
        RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_NEAREST_NEIGHBOR);
    graphics.scale(scale, scale);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, width, height);
  }

  @Override
  public void title(double x, double y, String text) {
    write(TITLE, x, y, text, Ink.TEXT);
  }

  @Override
  public void text(double x, double y, String text, Anchor anchor, Ink ink) {
    double left = x - share(anchor) * graphics.getFontMetrics(FONT).stringWidth(text);
    write(FONT, left, y, text, ink);
  }

  private static double share(Anchor anchor) {
    return switch (anchor) {
      case START -> 0;
      case MIDDLE -> 0.5;
      case END -> 1;
    };
  }

  private void write(Font font, double x, double y, String text, Ink ink) {
    graphics.setFont(font);
    graphics.setColor(ink.colour());
    graphics.drawString(text, (float) x, (float) y);
  }

  @Override
  public void upward(double x, double y, String text, Ink ink) {
    AffineTransform before = graphics.getTransform();
    graphics.translate(x, y);
    graphics.rotate(-Math.PI / 2);
    text(0, 0, text, Anchor.MIDDLE, ink);
    graphics.setTransform(before);
  }

  @Override
  public void picture(int x, int y, int width, int height, BufferedImage picture) {
    graphics.drawImage(picture, x, y, width, height, null);
  }

  @Override
  public void bar(double x, double y, double width, double height, Ink ink, String said) {
    graphics.setColor(ink.colour());
    graphics.fill(new Rectangle2D.Double(x, y, width, height));
  }

  @Override
  public void frame(double x, double y, double width, double height, Ink ink) {
    thick(1, ink);
    graphics.draw(new Rectangle2D.Double(x - 0.5, y - 0.5, width + 1, height + 1));
  }

  @Override
  public void line(double x1, double y1, double x2, double y2, Ink ink) {
    thick(1, ink);
    graphics.draw(new Line2D.Double(x1, y1, x2, y2));
  }

  @Override
  public void curve(List<At> points, double thick, Ink ink) {
    if (points.isEmpty()) {
      return;
    }
    Path2D path = new Path2D.Double();
    path.moveTo(points.get(0).x(), points.get(0).y());
    points.forEach(at -> path.lineTo(at.x(), at.y()));
    thick(thick, ink);
    graphics.draw(path);
  }

  @Override
  public void dot(double x, double y, double radius, Ink ink, String said) {
    graphics.setColor(ink.colour());
    graphics.fill(circle(x, y, radius));
  }

  @Override
  public void ring(double x, double y, double radius, Ink ink, String said) {
    thick(1.5, ink);
    graphics.draw(circle(x, y, radius));
  }

  private static Ellipse2D circle(double x, double y, double radius) {
    return new Ellipse2D.Double(x - radius, y - radius, 2 * radius, 2 * radius);
  }

  private void thick(double width, Ink ink) {
    graphics.setColor(ink.colour());
    graphics.setStroke(
        new BasicStroke((float) width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND));
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    graphics.dispose();
    try (ImageOutputStream image = new MemoryCacheImageOutputStream(out)) {
      ImageIO.write(pixels, "png", image); // not through a file for temporary data
    }
  }
}
