package org.weft.jobs.spy;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** A sheet of SVG: pictures embedded, text and lines as such. */
final class SvgSheet implements Sheet {
  private final StringBuilder svg = new StringBuilder();

  SvgSheet(int width, int height) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"%d\">",
        width, height, FONT.getSize());
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
  }

  private void add(String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  private static String hex(Color colour) {
    return String.format(Locale.ROOT, "#%06x", colour.getRGB() & 0xffffff);
  }

  @Override
  public void text(int x, int y, String text, Anchor anchor, Color colour) {
    String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replaceAll("\\p{Cntrl}", "?");
    String at = anchor.name().toLowerCase(Locale.ROOT);
    String format = "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" fill=\"%s\">%s</text>";
    add(format, x, y, at, hex(colour), escaped);
  }

  @Override
  public void picture(int x, int y, int width, int height, BufferedImage picture)
      throws IOException {
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    try (ImageOutputStream image = new MemoryCacheImageOutputStream(png)) {
      ImageIO.write(picture, "png", image); // not through a file for temporary data
    }
    add(
        "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\""
            + " style=\"image-rendering:pixelated\" href=\"data:image/png;base64,%s\"/>",
        x, y, width, height, Base64.getEncoder().encodeToString(png.toByteArray()));
  }

  @Override
  public void frame(int x, int y, int width, int height, Color colour) {
    add(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"%s\"/>",
        x, y, width, height, hex(colour));
  }

  @Override
  public void line(int x1, int y1, int x2, int y2, Color colour) {
    add(
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\"/>",
        x1, y1, x2, y2, hex(colour));
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    add("</svg>");
    out.write(svg.toString().getBytes(StandardCharsets.UTF_8));
  }
}
