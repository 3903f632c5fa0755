package org.weft.jobs.spy;

import java.util.ArrayList;
import java.util.List;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.chart.Sheet;
import org.weft.jobs.spy.Panel.Axis;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Where the entries of a tensor are: one panel for each pair of modes, the darker the more entries
 * fall into a cell, on a logarithmic scale from one entry to the panel's fullest cell. Each version
 * of the tensor has rows of at most {@value #MOST_COLUMNS} panels. A vector is a strip. A cell is a
 * slice each way, or several where a mode has more slices than the panel has pixels; small tensors
 * are enlarged. Where no cell has two entries, or half of all entries are stored, colours are
 * values instead: counts would say nothing.
 */
public final class DensityPlot implements Picture {
  private static final int MARGIN = 24;

  /** The shorter side of a panel at least: below that nothing can be seen. */
  private static final int LEAST = 48;

  private static final int MOST_COLUMNS = 4;

  private final int side;
  private final List<String> names;
  private final List<List<Panel>> rows = new ArrayList<>();
  private final List<String> titles = new ArrayList<>();

  /**
   * @param side pixels of the longer side of a panel, at least 1
   * @param names of the modes; empty: by their numbers
   */
  public DensityPlot(int side, List<String> names) {
    this.side = side;
    this.names = List.copyOf(names);
  }

  /**
   * Adds the panels of a version of the tensor.
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
    int lines = Math.max(1, (row.size() + MOST_COLUMNS - 1) / MOST_COLUMNS);
    int columns = (row.size() + lines - 1) / lines;
    for (int first = 0; first < row.size(); first += columns) {
      rows.add(row.subList(first, Math.min(row.size(), first + columns)));
    }
    titles.add(title);
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
    long sizeAcross = down == across ? 1 : shape.size(across);
    int width = pixels(sizeAcross, longer);
    int cellsDown = (int) Math.max(1, Math.min(shape.size(down), height));
    int cellsAcross = (int) Math.max(1, Math.min(sizeAcross, width));
    CellCounts cells = new CellCounts(down, across, shape, blocks, cellsDown, cellsAcross);
    int[] lines = new int[down == 0 ? boundaries.length : 0];
    for (int b = 0; b < lines.length; b++) {
      lines[b] = CellCounts.scaled(boundaries[b], Math.max(1, shape.size(0)), height);
    }
    return new Panel(title, axis(down, shape), axis(across, shape), cells, width, height, lines);
  }

  private int pixels(long size, long longer) {
    return (int) Math.max(Math.min(LEAST, side), Math.round((double) side * size / longer));
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

  @Override
  public int width() {
    int width = MARGIN;
    for (int column = 0; column < columns(); column++) {
      width += columnWidth(column) + MARGIN;
    }
    return width;
  }

  @Override
  public int height() {
    return rows.stream().mapToInt(row -> rowHeight(row) + MARGIN).sum();
  }

  @Override
  public int pngScale() {
    return 1;
  }

  @Override
  public String said() {
    return "Where the entries of a tensor are, " + String.join(" and ", titles);
  }

  @Override
  public void draw(Sheet sheet) {
    int y = MARGIN / 2;
    for (List<Panel> row : rows) {
      int x = MARGIN;
      for (int column = 0; column < row.size(); column++) {
        row.get(column).draw(sheet, x, y);
        x += columnWidth(column) + MARGIN;
      }
      y += rowHeight(row) + MARGIN;
    }
  }
}
