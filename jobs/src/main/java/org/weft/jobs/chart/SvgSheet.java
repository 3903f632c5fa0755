package org.weft.jobs.chart;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * A sheet of SVG: pictures embedded, all else as text and shapes. A sheet of its own states its
 * colours; one of a page leaves them to the classes of the page: {@code fill}, {@code stroke} and
 * those of {@link Ink}.
 */
final class SvgSheet implements Sheet {
  private final StringBuilder svg = new StringBuilder();
  private final boolean ofPage;

  private SvgSheet(boolean ofPage) {
    this.ofPage = ofPage;
  }

  /** A file of its own. */
  static SvgSheet alone(int width, int height, String said) {
    SvgSheet sheet = new SvgSheet(false);
    sheet.add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " viewBox=\"0 0 %1$d %2$d\" font-family=\"sans-serif\" font-size=\"%d\" role=\"img\""
            + " aria-label=\"%s\">",
        width, height, FONT.getSize(), escape(said));
    sheet.add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    return sheet;
  }

  /**
   * Part of an HTML page; as wide as the page has room for, up to {@code widest} pixels.
   *
   * @param kind its class, empty for none
   */
  static SvgSheet ofPage(int width, int height, int widest, String kind, String said) {
    SvgSheet sheet = new SvgSheet(true);
    sheet.add(
        "<svg role=\"img\"%s viewBox=\"0 0 %d %d\" style=\"max-width:%dpx\" aria-label=\"%s\">",
        kind.isEmpty() ? "" : " class=\"" + kind + "\"", width, height, widest, escape(said));
    return sheet;
  }

  private void add(String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  /** Attributes of what is filled or stroked. */
  private String paint(String how, Ink ink) {
    if (ofPage) {
      return "class=\"" + how + " " + ink.name() + "\"";
    }
    String other = how.equals("stroke") ? "fill=\"none\" " : "";
    return String.format(
        Locale.ROOT, "%s%s=\"#%06x\"", other, how, ink.colour().getRGB() & 0xffffff);
  }

  private static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replaceAll("\\p{Cntrl}", "?");
  }

  @Override
  public void title(double x, double y, String text) {
    add(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"start\" font-size=\"%d\" %s>%s</text>",
        number(x), number(y), TITLE.getSize(), paint("fill", Ink.TEXT), escape(text));
  }

  @Override
  public void text(double x, double y, String text, Anchor anchor, Ink ink) {
    add(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" %s>%s</text>",
        number(x),
        number(y),
        anchor.name().toLowerCase(Locale.ROOT),
        paint("fill", ink),
        escape(text));
  }

  @Override
  public void upward(double x, double y, String text, Ink ink) {
    add(
        "<text transform=\"translate(%s %s) rotate(-90)\" text-anchor=\"middle\" %s>%s</text>",
        number(x), number(y), paint("fill", ink), escape(text));
  }

  @Override
  public void picture(int x, int y, int width, int height, BufferedImage picture) {
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    try (ImageOutputStream image = new MemoryCacheImageOutputStream(png)) {
      ImageIO.write(picture, "png", image); // not through a file for temporary data
    } catch (IOException e) {
      throw new UncheckedIOException("a picture in memory", e);
    }
    add(
        "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\""
            + " style=\"image-rendering:pixelated\" href=\"data:image/png;base64,%s\"/>",
        x, y, width, height, Base64.getEncoder().encodeToString(png.toByteArray()));
  }

  @Override
  public void bar(double x, double y, double width, double height, Ink ink, String said) {
    add(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" %s>%s</rect>",
        number(x), number(y), number(width), number(height), paint("fill", ink), tip(said));
  }

  private static String tip(String said) {
    return said.isEmpty() ? "" : "<title>" + escape(said) + "</title>";
  }

  @Override
  public void frame(double x, double y, double width, double height, Ink ink) {
    add(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" %s/>",
        number(x - 0.5),
        number(y - 0.5),
        number(width + 1),
        number(height + 1),
        paint("stroke", ink));
  }

  @Override
  public void line(double x1, double y1, double x2, double y2, Ink ink) {
    add(
        "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" %s/>",
        number(x1), number(y1), number(x2), number(y2), paint("stroke", ink));
  }

  @Override
  public void curve(List<At> points, double thick, Ink ink) {
    add(
        "<polyline points=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\" %s/>",
        points.stream()
            .map(at -> number(at.x()) + "," + number(at.y()))
            .collect(Collectors.joining(" ")),
        number(thick),
        paint("stroke", ink));
  }

  @Override
  public void dot(double x, double y, double radius, Ink ink, String said) {
    circle(x, y, radius, paint("fill", ink), said);
  }

  @Override
  public void ring(double x, double y, double radius, Ink ink, String said) {
    circle(x, y, radius, "stroke-width=\"1.5\" " + paint("stroke", ink), said);
  }

  private void circle(double x, double y, double radius, String paint, String said) {
    add(
        "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" %s>%s</circle>",
        number(x), number(y), number(radius), paint, tip(said));
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    out.write(text().getBytes(StandardCharsets.UTF_8));
  }

  /** The whole picture. */
  String text() {
    return svg + "</svg>\n";
  }
}
