package org.weft.spark.model;

/**
 * {@code sum G(r_0, r_1, ..) prod_n rows[n][r_n]}. Cost: {@code O(prod R_n)}.
 *
 * @param ranks R_n by mode
 * @param core G, row-major
 */
@SuppressWarnings("ArrayRecordComponent")
public record TuckerValue(int[] ranks, double[] core) implements ModelValue {
  @Override
  public double at(double[][] rows) {
    return query(-1, rows)[0];
  }

  /** The core, with one mode after another summed away. */
  @Override
  public double[] query(int mode, double[][] rows) {
    double[] left = core;
    int kept = 1;
    for (int n = 0; n < ranks.length; n++) {
      if (n == mode) {
        kept = ranks[n];
      } else {
        left = summed(left, kept, rows[n]);
      }
    }
    return left;
  }

  /** {@code kept x R_n x rest} to {@code kept x rest}. */
  private static double[] summed(double[] from, int kept, double[] row) {
    int rest = from.length / (kept * row.length);
    double[] to = new double[kept * rest];
    for (int k = 0; k < kept; k++) {
      for (int r = 0; r < row.length; r++) {
        int start = (k * row.length + r) * rest;
        for (int at = 0; at < rest; at++) {
          to[k * rest + at] += row[r] * from[start + at];
        }
      }
    }
    return to;
  }
}
