package org.weft.decomposition.rows;

/**
 * One HALS update of a row of a nonnegative factor A (Cichocki and Phan 2009, algorithm 2): for
 * each component in turn, {@code a_r <- max(0, a_r + (m_r - A v_r) / v_rr)}, the exact minimiser
 * over that column with the others fixed. Rows are independent of each other.
 *
 * @param weights of the columns of A, multiplied into A first
 * @param others what the columns of the MTTKRP M are multiplied by
 * @param v the Hadamard product of the other factors' Gram matrices: R x R, row-major
 */
@SuppressWarnings("ArrayRecordComponent")
public record Hals(double[] weights, double[] others, double[] v) implements RowRule {
  /** Instead of 0 where there is data, so that a component that loses all of it can come back. */
  private static final double FLOOR = 1e-16;

  /** Of A, then of M, which is changed, too. */
  @Override
  public void apply(double[][] rows, double[] sums) {
    double[] a = rows[0];
    double[] m = rows[1];
    int rank = weights.length;
    for (int r = 0; r < rank; r++) {
      a[r] *= weights[r];
      m[r] *= others[r];
    }
    for (int r = 0; r < rank; r++) {
      double diagonal = v[r * rank + r];
      if (diagonal > 0) {
        double product = 0;
        for (int s = 0; s < rank; s++) {
          product += a[s] * v[s * rank + r];
        }
        double floor = m[r] > 0 ? FLOOR : 0;
        a[r] = Math.max(floor, a[r] + (m[r] - product) / diagonal);
      }
    }
  }
}
