package org.weft.reorder;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorShape;

/**
 * How well the labels of a tensor suit caches. Entries are taken in lexicographic order of their
 * coordinates, as a CSF of natural mode order stores them.
 *
 * @param modes one figure set for each mode
 * @param bandwidths one for each pair of modes {@code row < column}
 * @param entriesPerBlock entries over the blocks of side {@value #BLOCK_SIDE} that have any, the
 *     block density of Li et al.; 0 without entries
 */
public record LocalityMetrics(
    List<ModeLocality> modes, List<Bandwidth> bandwidths, double entriesPerBlock) {
  /** Side of the blocks whose density is measured: that of the HiCOO format. */
  public static final int BLOCK_SIDE = 128;

  private static final int CACHE_LINE_BYTES = 64;

  public LocalityMetrics {
    modes = List.copyOf(modes);
    bandwidths = List.copyOf(bandwidths);
  }

  /**
   * @param mode the mode
   * @param cacheLinesPerWindow distinct cache lines touched by a window of consecutive entries, on
   *     average over the windows: what a cache that forgets between windows must load
   */
  public record ModeLocality(int mode, double cacheLinesPerWindow) {}

  /**
   * Distance from the diagonal of a pair of modes, {@code |i - j I / J|} for mode sizes I and J, in
   * slices of the row mode.
   */
  public record Bandwidth(int row, int column, double average, double maximum) {}

  /**
   * Measures. Cost {@code O(order^2 entries)} and, per entry, the cache lines of a row; memory 8
   * bytes per entry and mode.
   *
   * @param rowBytes bytes of an operand's row: 8 for a vector, 8 R for a factor
   * @param window entries per window, at least 1
   */
  public static LocalityMetrics of(
      TensorShape shape, List<CooBlock> blocks, int rowBytes, int window) {
    if (rowBytes < 1 || window < 1) {
      throw new IllegalArgumentException(
          "expected at least 1 byte a row and 1 entry a window: " + rowBytes + ", " + window);
    }
    int order = shape.order();
    int[] all = IntStream.range(0, order).toArray();
    CooBlock sorted = Packing.sortedWithDuplicates(shape, all, blocks);
    EntryTable entries = new EntryTable(shape, List.of(sorted));
    List<ModeLocality> modes = new ArrayList<>();
    List<Bandwidth> bandwidths = new ArrayList<>();
    for (int m = 0; m < order; m++) {
      modes.add(new ModeLocality(m, linesPerWindow(entries, m, rowBytes, window)));
      for (int n = m + 1; n < order; n++) {
        bandwidths.add(bandwidth(entries, m, n));
      }
    }
    return new LocalityMetrics(modes, bandwidths, entriesPerBlock(entries));
  }

  private static double linesPerWindow(EntryTable entries, int mode, int rowBytes, int window) {
    int[] column = entries.column(mode);
    int[] lastWindow = new int[entries.modeSize(mode)];
    long lineCount = ((long) entries.modeSize(mode) * rowBytes) / CACHE_LINE_BYTES + 1;
    if (rowBytes < CACHE_LINE_BYTES) {
      lastWindow = new int[Math.toIntExact(lineCount)];
    }
    long sum = 0;
    int windows = 0;
    for (int at = 0; at < entries.size(); at++) {
      if (at % window == 0) {
        windows++;
      }
      long from = (long) column[at] * rowBytes;
      long first = from / CACHE_LINE_BYTES;
      long last = (from + rowBytes - 1) / CACHE_LINE_BYTES;
      if (rowBytes >= CACHE_LINE_BYTES) { // rows share at most their border lines
        if (lastWindow[column[at]] != windows) {
          lastWindow[column[at]] = windows;
          sum += last - first + 1;
        }
        continue;
      }
      for (long line = first; line <= last; line++) {
        if (lastWindow[(int) line] != windows) {
          lastWindow[(int) line] = windows;
          sum++;
        }
      }
    }
    return windows == 0 ? 0 : sum / (double) windows;
  }

  private static double entriesPerBlock(EntryTable entries) {
    int order = entries.order();
    Object[] columns = new Object[order];
    long[] counts = new long[order];
    for (int m = 0; m < order; m++) {
      int[] column = new int[entries.size()];
      for (int e = 0; e < column.length; e++) {
        column[e] = entries.column(m)[e] / BLOCK_SIDE;
      }
      columns[m] = column;
      counts[m] = entries.modeSize(m) / BLOCK_SIDE + 1;
    }
    CooBlock blocks = CooBlock.ofColumns(columns, new double[entries.size()], entries.size());
    long distinct =
        entries.size() - Packing.countDuplicates(TensorShape.of(counts), List.of(blocks));
    return distinct == 0 ? 0 : entries.size() / (double) distinct;
  }

  private static Bandwidth bandwidth(EntryTable entries, int row, int column) {
    int[] i = entries.column(row);
    int[] j = entries.column(column);
    double scale = entries.modeSize(row) / (double) Math.max(1, entries.modeSize(column));
    double sum = 0;
    double max = 0;
    for (int e = 0; e < i.length; e++) {
      double distance = Math.abs(i[e] - j[e] * scale);
      sum += distance;
      max = Math.max(max, distance);
    }
    return new Bandwidth(row, column, i.length == 0 ? 0 : sum / i.length, max);
  }
}
