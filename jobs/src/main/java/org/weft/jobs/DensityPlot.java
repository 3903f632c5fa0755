package org.weft.jobs;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Where the entries of a tensor are: one panel for each pair of modes, the darker the more entries
 * fall into a pixel, on a logarithmic scale from one entry to the panel's fullest pixel. A row of
 * panels per version of the tensor.
 */
final class DensityPlot {
  private static final int MARGIN = 28;
  private static final Color BOUNDARY = new Color(0xd6, 0x45, 0x2c);

  private final int side;
  private final List<Panel> panels = new ArrayList<>();
  private int rows;

  /**
   * A panel's picture.
   *
   * @param boundaries where partitions of the row mode begin, in pixels
   */
  private record Panel(int row, int column, String title, BufferedImage image, int[] boundaries) {}

  /**
   * @param side pixels of the longer side of a panel, at least 1
   */
  DensityPlot(int side) {
    this.side = side;
  }

  /**
   * Adds a row of panels.
   *
   * @param boundaries coordinates of mode 0 at which partitions begin; may be empty
   */
  void add(String title, TensorShape shape, List<CooBlock> blocks, long[] boundaries) {
    int column = 0;
    int order = shape.order();
    for (int down = 0; down < order; down++) {
      for (int across = down + 1; across < order; across++) {
        panels.add(panel(title, column++, down, across, shape, blocks, boundaries));
      }
    }
    if (order == 1) {
      panels.add(panel(title, 0, 0, 0, shape, blocks, boundaries));
    }
    rows++;
  }

  private Panel panel(
      String title,
      int column,
      int down,
      int across,
      TensorShape shape,
      List<CooBlock> blocks,
      long[] boundaries) {
    long longer = Math.max(1, Math.max(shape.size(down), shape.size(across)));
    int height = pixels(shape.size(down), longer);
    int width = pixels(shape.size(across), longer);
    long[] counts = new long[height * width];
    long most = 0;
    for (CooBlock block : blocks) {
      for (int e = 0; e < block.size(); e++) {
        int y = scaled(block.coordinate(down, e), shape.size(down), height);
        int x = scaled(block.coordinate(across, e), shape.size(across), width);
        most = Math.max(most, ++counts[y * width + x]);
      }
    }
    BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        image.setRGB(x, y, shade(counts[y * width + x], most));
      }
    }
    int[] lines = new int[down == 0 ? boundaries.length : 0];
    for (int b = 0; b < lines.length; b++) {
      lines[b] = scaled(boundaries[b], Math.max(1, shape.size(0)), height);
    }
    String modes = down == across ? "mode " + down : "modes " + down + " (down) x " + across;
    return new Panel(rows, column, title + ": " + modes, image, lines);
  }

  private int pixels(long size, long longer) {
    return (int) Math.max(1, Math.min(size, Math.round((double) side * size / longer)));
  }

  private static int scaled(long coordinate, long size, int pixels) {
    return (int) Math.min(pixels - 1L, (long) ((double) coordinate * pixels / size));
  }

  /** White without entries, then from light blue to nearly black. */
  private static int shade(long count, long most) {
    if (count == 0) {
      return 0xffffff;
    }
    double dark = most <= 1 ? 1 : Math.log1p(count) / Math.log1p(most);
    int red = (int) (190 * (1 - dark) + 8);
    int green = (int) (215 * (1 - dark) + 16);
    int blue = (int) (235 * (1 - 0.65 * dark));
    return red << 16 | green << 8 | blue;
  }

  private int width() {
    return MARGIN
        + panels.stream().mapToInt(p -> (p.column() + 1) * (side + MARGIN)).max().orElse(MARGIN);
  }

  private int height() {
    return MARGIN / 2 + rows * (side + MARGIN + MARGIN / 2);
  }

  private int left(Panel panel) {
    return MARGIN + panel.column() * (side + MARGIN);
  }

  private int top(Panel panel) {
    return MARGIN + panel.row() * (side + MARGIN + MARGIN / 2);
  }

  void writePng(OutputStream out) throws IOException {
    BufferedImage sheet = new BufferedImage(width(), height(), BufferedImage.TYPE_INT_RGB);
    Graphics2D g = sheet.createGraphics();
    g.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    g.setColor(Color.WHITE);
    g.fillRect(0, 0, sheet.getWidth(), sheet.getHeight());
    g.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
    for (Panel panel : panels) {
      int x = left(panel);
      int y = top(panel);
      g.drawImage(panel.image(), x, y, null);
      g.setColor(Color.GRAY);
      g.drawRect(x - 1, y - 1, panel.image().getWidth() + 1, panel.image().getHeight() + 1);
      g.setColor(Color.BLACK);
      g.drawString(panel.title(), x, y - 6);
      g.setColor(BOUNDARY);
      g.setStroke(new BasicStroke(1));
      for (int line : panel.boundaries()) {
        g.drawLine(x - 6, y + line, x + panel.image().getWidth() + 5, y + line);
      }
    }
    g.dispose();
    ImageIO.write(sheet, "png", out);
  }

  /** Panels as embedded pictures; titles, frames and boundaries as vectors. */
  void writeSvg(OutputStream out) throws IOException {
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"12\">%n<rect width=\"100%%\""
                + " height=\"100%%\" fill=\"white\"/>%n",
            width(),
            height()));
    for (Panel panel : panels) {
      ByteArrayOutputStream png = new ByteArrayOutputStream();
      ImageIO.write(panel.image(), "png", png);
      int x = left(panel);
      int y = top(panel);
      int w = panel.image().getWidth();
      int h = panel.image().getHeight();
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%d\" y=\"%d\">%s</text>%n<image x=\"%d\" y=\"%d\" width=\"%d\""
                  + " height=\"%d\" href=\"data:image/png;base64,%s\"/>%n<rect x=\"%d\" y=\"%d\""
                  + " width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"gray\"/>%n",
              x,
              y - 6,
              panel.title().replace("&", "&amp;").replace("<", "&lt;"),
              x,
              y,
              w,
              h,
              Base64.getEncoder().encodeToString(png.toByteArray()),
              x,
              y,
              w,
              h));
      for (int line : panel.boundaries()) {
        svg.append(
            String.format(
                Locale.ROOT,
                "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#d6452c\"/>%n",
                x - 6,
                y + line,
                x + w + 5,
                y + line));
      }
    }
    svg.append("</svg>\n");
    out.write(svg.toString().getBytes(StandardCharsets.UTF_8));
  }
}
