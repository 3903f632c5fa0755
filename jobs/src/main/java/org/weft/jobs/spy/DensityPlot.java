package org.weft.jobs.spy;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.weft.jobs.spy.Panel.Axis;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Where the entries of a tensor are: one panel for each pair of modes, the darker the more entries
 * fall into a cell, on a logarithmic scale from one entry to the panel's fullest cell. A row of
 * panels per version of the tensor. A cell is a slice each way, or several where a mode has more
 * slices than the panel has pixels; small tensors are enlarged.
 */
public final class DensityPlot {
  private static final int MARGIN = 24;

  /** The shorter side of a panel at least: below that nothing can be seen. */
  private static final int LEAST = 48;

  private final int side;
  private final List<String> names;
  private final List<List<Panel>> rows = new ArrayList<>();

  /**
   * @param side pixels of the longer side of a panel, at least 1
   * @param names of the modes; empty: by their numbers
   */
  public DensityPlot(int side, List<String> names) {
    this.side = side;
    this.names = List.copyOf(names);
  }

  /**
   * Adds a row of panels.
   *
   * @param boundaries coordinates of mode 0 at which partitions begin; may be empty
   */
  public void add(String title, TensorShape shape, List<CooBlock> blocks, long[] boundaries) {
    List<Panel> row = new ArrayList<>();
    int order = shape.order();
    for (int down = 0; down < order; down++) {
      for (int across = down + 1; across < order; across++) {
        row.add(panel(title, down, across, shape, blocks, boundaries));
      }
    }
    if (order == 1) {
      row.add(panel(title, 0, 0, shape, blocks, boundaries));
    }
    rows.add(row);
  }

  private Axis axis(int mode, TensorShape shape) {
    return new Axis(
        mode < names.size() ? names.get(mode) : "mode " + mode, Math.max(0, shape.size(mode)));
  }

  private Panel panel(
      String title,
      int down,
      int across,
      TensorShape shape,
      List<CooBlock> blocks,
      long[] boundaries) {
    long longer = Math.max(1, Math.max(shape.size(down), shape.size(across)));
    int height = pixels(shape.size(down), longer);
    int width = pixels(shape.size(across), longer);
    int cellsDown = (int) Math.max(1, Math.min(shape.size(down), height));
    int cellsAcross = (int) Math.max(1, Math.min(shape.size(across), width));
    long[] counts = new long[cellsDown * cellsAcross];
    long most = 0;
    for (CooBlock block : blocks) {
      for (int e = 0; e < block.size(); e++) {
        int y = scaled(block.coordinate(down, e), shape.size(down), cellsDown);
        int x = scaled(block.coordinate(across, e), shape.size(across), cellsAcross);
        most = Math.max(most, ++counts[y * cellsAcross + x]);
      }
    }
    BufferedImage cells = new BufferedImage(cellsAcross, cellsDown, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < cellsDown; y++) {
      for (int x = 0; x < cellsAcross; x++) {
        cells.setRGB(x, y, Panel.shade(counts[y * cellsAcross + x], most));
      }
    }
    int[] lines = new int[down == 0 ? boundaries.length : 0];
    for (int b = 0; b < lines.length; b++) {
      lines[b] = scaled(boundaries[b], Math.max(1, shape.size(0)), height);
    }
    return new Panel(
        title, axis(down, shape), axis(across, shape), cells, width, height, most, lines);
  }

  private int pixels(long size, long longer) {
    return (int) Math.max(Math.min(LEAST, side), Math.round((double) side * size / longer));
  }

  private static int scaled(long coordinate, long size, int cells) {
    return (int) Math.min(cells - 1L, (long) ((double) coordinate * cells / size));
  }

  private int columns() {
    return rows.stream().mapToInt(List::size).max().orElse(0);
  }

  private int columnWidth(int column) {
    return rows.stream()
        .filter(row -> column < row.size())
        .mapToInt(row -> row.get(column).fullWidth())
        .max()
        .orElse(0);
  }

  private static int rowHeight(List<Panel> row) {
    return row.stream().mapToInt(Panel::fullHeight).max().orElse(0);
  }

  private int width() {
    int width = MARGIN;
    for (int column = 0; column < columns(); column++) {
      width += columnWidth(column) + MARGIN;
    }
    return width;
  }

  private int height() {
    return MARGIN + rows.stream().mapToInt(row -> rowHeight(row) + MARGIN / 2).sum();
  }

  /** Writes the picture as PNG. */
  public void writePng(OutputStream out) throws IOException {
    write(new PixelSheet(width(), height()), out);
  }

  /** Writes the picture as SVG: cells as embedded pictures; all else as text and lines. */
  public void writeSvg(OutputStream out) throws IOException {
    write(new SvgSheet(width(), height()), out);
  }

  private void write(Sheet sheet, OutputStream out) throws IOException {
    int y = MARGIN / 2;
    for (List<Panel> row : rows) {
      int x = MARGIN;
      for (int column = 0; column < row.size(); column++) {
        row.get(column).draw(sheet, x, y);
        x += columnWidth(column) + MARGIN;
      }
      y += rowHeight(row) + MARGIN / 2;
    }
    sheet.writeTo(out);
  }
}
