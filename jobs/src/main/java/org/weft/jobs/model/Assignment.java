package org.weft.jobs.model;

import java.util.Arrays;

/**
 * The assignment of rows to columns with the greatest sum, by the Hungarian method with potentials
 * (Kuhn 1955; Jonker and Volgenant 1987). Cost: O(rows^2 columns).
 */
public final class Assignment {
  private Assignment() {}

  /**
   * The column of each row, all different; -1 for rows that are left over where there are more rows
   * than columns.
   *
   * @param value rows x columns
   */
  public static int[] best(double[][] value) {
    int rows = value.length;
    int columns = rows == 0 ? 0 : value[0].length;
    if (rows <= columns) {
      return solve(value, rows, columns);
    }
    double[][] turned = new double[columns][rows];
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        turned[j][i] = value[i][j];
      }
    }
    int[] found = new int[rows];
    Arrays.fill(found, -1);
    int[] rowOf = solve(turned, columns, rows);
    for (int j = 0; j < columns; j++) {
      found[rowOf[j]] = j;
    }
    return found;
  }

  /** Rows 1 to n are added one by one, each along a shortest augmenting path. */
  private static int[] solve(double[][] value, int rows, int columns) {
    double[] ofRow = new double[rows + 1];
    double[] ofColumn = new double[columns + 1];
    int[] rowAt = new int[columns + 1];
    int[] from = new int[columns + 1];
    for (int row = 1; row <= rows; row++) {
      rowAt[0] = row;
      double[] least = new double[columns + 1];
      boolean[] used = new boolean[columns + 1];
      Arrays.fill(least, Double.POSITIVE_INFINITY);
      int column = 0;
      do {
        used[column] = true;
        int next = 0;
        double step = Double.POSITIVE_INFINITY;
        for (int j = 1; j <= columns; j++) {
          if (used[j]) {
            continue;
          }
          double reduced = -value[rowAt[column] - 1][j - 1] - ofRow[rowAt[column]] - ofColumn[j];
          if (reduced < least[j]) {
            least[j] = reduced;
            from[j] = column;
          }
          if (least[j] < step) {
            step = least[j];
            next = j;
          }
        }
        for (int j = 0; j <= columns; j++) {
          if (used[j]) {
            ofRow[rowAt[j]] += step;
            ofColumn[j] -= step;
          } else {
            least[j] -= step;
          }
        }
        column = next;
      } while (rowAt[column] != 0);
      for (; column != 0; column = from[column]) {
        rowAt[column] = rowAt[from[column]];
      }
    }
    int[] found = new int[rows];
    for (int j = 1; j <= columns; j++) {
      if (rowAt[j] > 0) {
        found[rowAt[j] - 1] = j - 1;
      }
    }
    return found;
  }
}
