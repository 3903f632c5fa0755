package org.weft.decomposition;

import java.util.stream.IntStream;
import org.weft.tensor.TensorStorage;

/**
 * One HALS update of a nonnegative factor (Cichocki and Phan 2009, algorithm 2): for each component
 * in turn, {@code a_r <- max(0, a_r + (m_r - A v_r) / v_rr)}, the exact minimiser over that column
 * with the others fixed. Rows are independent of each other.
 */
final class Hals {
  /** Instead of 0 where there is data, so that a component that loses all of it can come back. */
  private static final double FLOOR = 1e-16;

  private static final int CHUNK_ROWS = 1024;

  private Hals() {}

  /**
   * Updates rows in place, by chunks that fit a cache.
   *
   * @param factor rows of A, row-major
   * @param m the same rows of the MTTKRP
   */
  static void update(RowUpdate.Nonnegative rule, TensorStorage factor, TensorStorage m) {
    int rank = rule.weights().length;
    long rows = factor.shape().size(0);
    int chunks = Math.toIntExact((rows + CHUNK_ROWS - 1) / CHUNK_ROWS);
    IntStream.range(0, chunks)
        .parallel()
        .forEach(
            chunk -> {
              double[] a = new double[rank];
              double[] right = new double[rank];
              long end = Math.min(rows, (chunk + 1L) * CHUNK_ROWS);
              for (long row = (long) chunk * CHUNK_ROWS; row < end; row++) {
                for (int r = 0; r < rank; r++) {
                  a[r] = factor.vals().getDouble(row * rank + r);
                  right[r] = m.vals().getDouble(row * rank + r);
                }
                rule.applyToRow(a, 0, right);
                for (int r = 0; r < rank; r++) {
                  factor.vals().setDouble(row * rank + r, a[r]);
                }
              }
            });
  }

  static void updateRow(double[] a, int at, double[] weights, double[] m, double[] v) {
    int rank = weights.length;
    for (int r = 0; r < rank; r++) {
      a[at + r] *= weights[r];
    }
    for (int r = 0; r < rank; r++) {
      double diagonal = v[r * rank + r];
      if (diagonal > 0) {
        double product = 0;
        for (int s = 0; s < rank; s++) {
          product += a[at + s] * v[s * rank + r];
        }
        double floor = m[r] > 0 ? FLOOR : 0;
        a[at + r] = Math.max(floor, a[at + r] + (m[r] - product) / diagonal);
      }
    }
  }
}
