package org.weft.reorder;

import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * The coordinates of a tensor as one int column per mode, with a stable counting sort over them.
 * Memory: 4 bytes per entry and mode.
 */
final class EntryTable {
  private final int[][] columns;
  private final int[] sizes;
  private final int size;

  EntryTable(TensorShape shape, List<CooBlock> blocks) {
    int order = shape.order();
    sizes = new int[order];
    for (int m = 0; m < order; m++) {
      if (shape.size(m) > Integer.MAX_VALUE - 8) {
        throw new WeftException(
            ErrorCode.UNSUPPORTED_OPERATION,
            "expected modes of less than 2^31 coordinates to reorder, found " + shape);
      }
      sizes[m] = (int) shape.size(m);
    }
    long total = blocks.stream().mapToLong(CooBlock::size).sum();
    if (total > Integer.MAX_VALUE - 8) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          "expected less than 2^31 entries to reorder, found " + total + "; reorder a sample");
    }
    size = (int) total;
    columns = new int[order][size];
    for (int m = 0; m < order; m++) {
      int at = 0;
      for (CooBlock block : blocks) {
        for (int e = 0; e < block.size(); e++) {
          columns[m][at++] = checked(block.coordinate(m, e), m);
        }
      }
    }
  }

  private int checked(long coordinate, int mode) {
    if (coordinate < 0 || coordinate >= sizes[mode]) {
      throw new WeftException(
          ErrorCode.COORDINATE_OUT_OF_RANGE,
          "expected coordinates of mode "
              + mode
              + " below "
              + sizes[mode]
              + ", found "
              + coordinate);
    }
    return (int) coordinate;
  }

  int order() {
    return columns.length;
  }

  int size() {
    return size;
  }

  int modeSize(int mode) {
    return sizes[mode];
  }

  /** Coordinates of a mode by entry. Not for writing, except through {@link #relabel}. */
  int[] column(int mode) {
    return columns[mode];
  }

  /** Replaces each coordinate c of a mode by {@code label[c]}. */
  void relabel(int mode, int[] label) {
    int[] column = columns[mode];
    for (int e = 0; e < size; e++) {
      column[e] = label[column[e]];
    }
  }

  /** Entry numbers sorted lexicographically by {@code modes}; ties as they came. */
  int[] sortedBy(int... modes) {
    int[] from = new int[size];
    for (int e = 0; e < size; e++) {
      from[e] = e;
    }
    int[] to = new int[size];
    for (int k = modes.length - 1; k >= 0; k--) {
      int[] column = columns[modes[k]];
      int[] start = new int[sizes[modes[k]] + 1];
      for (int c : column) {
        start[c + 1]++;
      }
      for (int c = 1; c < start.length; c++) {
        start[c] += start[c - 1];
      }
      for (int e : from) {
        to[start[column[e]]++] = e;
      }
      int[] swap = from;
      from = to;
      to = swap;
    }
    return from;
  }

  /** Whether two entries agree in all modes but one. */
  boolean sameBut(int mode, int a, int b) {
    for (int m = 0; m < columns.length; m++) {
      if (m != mode && columns[m][a] != columns[m][b]) {
        return false;
      }
    }
    return true;
  }

  /** All modes but one, ascending. */
  int[] modesBut(int mode) {
    int[] rest = new int[columns.length - 1];
    for (int m = 0, at = 0; m < columns.length; m++) {
      if (m != mode) {
        rest[at++] = m;
      }
    }
    return rest;
  }
}
