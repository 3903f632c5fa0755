package org.weft.decomposition.cp;

import java.util.Arrays;
import org.ejml.data.DMatrixRMaj;
import org.weft.decomposition.rows.Hals;
import org.weft.decomposition.rows.NormalEquations;
import org.weft.decomposition.rows.RowRule;

/**
 * One row of a factor under new entries, {@link StreamingUpdate}. The rows are those of A, of the
 * MTTKRP M, of what the past asks for, H, and, in modes that have grown, whether the slice is old.
 * Adds the Gram matrix of the new rows up.
 *
 * @param fresh of new rows
 * @param old of the others
 * @param keepsOld whether the others stay as they are
 * @param nonnegative whether a row is one step of HALS instead of the solution
 */
@SuppressWarnings("ArrayRecordComponent")
record AppendedRow(Equations fresh, Equations old, boolean keepsOld, boolean nonnegative, int rank)
    implements RowRule {
  private static final double FLOOR = 1e-16;

  /** {@code a V = b}: V and its inverse, row-major. */
  record Equations(double[] v, double[] inverse) implements java.io.Serializable {
    static Equations of(DMatrixRMaj v) {
      return new Equations(v.data.clone(), new NormalEquations(v).inverse().data.clone());
    }
  }

  @Override
  public void apply(double[][] rows, double[] sums) {
    double[] a = rows[0];
    boolean isNew = rows.length > 3 && rows[3][0] == 0;
    if (isNew || !keepsOld) {
      double[] b = new double[rank];
      Arrays.setAll(b, r -> rows[1][r] + (isNew ? 0 : rows[2][r]));
      solve(isNew ? fresh : old, a, b);
    }
    for (int r = 0; isNew && r < rank; r++) {
      for (int s = 0; s < rank; s++) {
        sums[r * rank + s] += a[r] * a[s];
      }
    }
  }

  private void solve(Equations equations, double[] a, double[] b) {
    if (nonnegative) {
      descend(equations.v(), a, b);
      return;
    }
    for (int r = 0; r < rank; r++) {
      a[r] = 0;
      for (int s = 0; s < rank; s++) {
        a[r] += b[s] * equations.inverse()[s * rank + r];
      }
    }
  }

  /** As {@link Hals} does for rows that have the same equations. */
  private void descend(double[] v, double[] a, double[] b) {
    for (int r = 0; r < rank; r++) {
      double diagonal = v[r * rank + r];
      double product = 0;
      for (int s = 0; s < rank; s++) {
        product += a[s] * v[s * rank + r];
      }
      if (diagonal > 0) {
        double least = Math.max(0, FLOOR * b[r] / diagonal);
        a[r] = Math.max(least, a[r] + (b[r] - product) / diagonal);
      }
    }
  }
}
