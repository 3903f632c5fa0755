package org.weft.jobs.report;

import java.util.Arrays;
import java.util.List;
import org.weft.tensor.DenseMatrix;

/**
 * Chooses the signs of columns for display. A component stays the same when two of its columns
 * change their signs. The chosen signs make the large weights of each column positive. Where the
 * number of columns to change is odd, the column whose sign is least decided keeps its sign (after
 * Bro, Acar and Kolda 2008).
 */
public final class Signs {
  private final int[][] signs;

  private Signs(int[][] signs) {
    this.signs = signs;
  }

  /** Signs for the columns of a CP model's factors. Cost: {@code O(I R)} a mode. */
  public static Signs of(List<DenseMatrix> factors, int rank) {
    int[][] signs = new int[factors.size()][rank];
    double[][] decided = decided(factors);
    for (int r = 0; r < rank; r++) {
      int product = 1;
      int weakest = 0;
      for (int mode = 0; mode < signs.length; mode++) {
        signs[mode][r] = decided[mode][r] < 0 ? -1 : 1;
        product *= signs[mode][r];
        weakest = Math.abs(decided[mode][r]) < Math.abs(decided[weakest][r]) ? mode : weakest;
      }
      if (product < 0) {
        signs[weakest][r] = -signs[weakest][r];
      }
    }
    return new Signs(signs);
  }

  /** Signs for the columns of a Tucker model, whose core has the product of the signs. */
  public static Signs ofCore(List<DenseMatrix> factors) {
    double[][] decided = decided(factors);
    int[][] signs = new int[decided.length][];
    for (int mode = 0; mode < signs.length; mode++) {
      signs[mode] = Arrays.stream(decided[mode]).mapToInt(sum -> sum < 0 ? -1 : 1).toArray();
    }
    return new Signs(signs);
  }

  /** By mode and column, the sum of the squares of positive weights less that of negative ones. */
  private static double[][] decided(List<DenseMatrix> factors) {
    double[][] decided = new double[factors.size()][];
    for (int mode = 0; mode < decided.length; mode++) {
      DenseMatrix factor = factors.get(mode);
      decided[mode] = new double[factor.columns()];
      double[] row = new double[factor.columns()];
      for (long i = 0; i < factor.rows(); i++) {
        factor.copyRow(i, row, 0);
        for (int r = 0; r < row.length; r++) {
          decided[mode][r] += row[r] * Math.abs(row[r]);
        }
      }
    }
    return decided;
  }

  /** 1 or -1. */
  public int of(int mode, int column) {
    return signs[mode][column];
  }
}
