package org.weft.decomposition.completion;

import java.util.Arrays;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.LinearSolverFactory_DDRM;
import org.ejml.interfaces.linsol.LinearSolverDense;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.NormalEquations;
import org.weft.decomposition.rows.RowRule;

/**
 * A row of a factor from its normal equations, {@code (N + diag(ridge)) a = b} for the columns that
 * are free; the others keep their numbers. Rows: a, b and N. A slice without entries has a = 0 in
 * its free columns. Cost: {@code O(free^3)}.
 *
 * @param mode for messages
 * @param sweep for messages, counts from 1
 * @param free columns that are solved for
 * @param ridge for each column
 */
@SuppressWarnings("ArrayRecordComponent")
record RidgeRow(int mode, int sweep, int[] free, double[] ridge) implements RowRule {
  @Override
  public void apply(double[][] rows, double[] sums) {
    double[] a = rows[0];
    int size = free.length;
    Arrays.stream(free).forEach(c -> a[c] = 0);
    DMatrixRMaj normal = new DMatrixRMaj(size, size);
    DMatrixRMaj right = new DMatrixRMaj(size, 1);
    for (int r = 0; r < size; r++) {
      int at = free[r] * a.length;
      double fixed = 0;
      for (int c = 0; c < a.length; c++) {
        fixed += rows[2][at + c] * a[c];
      }
      right.set(r, 0, rows[1][free[r]] - fixed);
      for (int c = 0; c < size; c++) {
        normal.set(r, c, rows[2][at + free[c]]);
      }
      normal.add(r, r, ridge[free[r]]);
    }
    Sweeps.requireFinite(
        "iteration " + sweep + ", mode " + mode + ": the sum of a slice's normal equations",
        CommonOps_DDRM.elementSum(normal) + CommonOps_DDRM.elementSum(right));
    DMatrixRMaj solution = solution(normal, right);
    for (int r = 0; r < size; r++) {
      a[free[r]] = solution.get(r, 0);
    }
  }

  private static DMatrixRMaj solution(DMatrixRMaj normal, DMatrixRMaj right) {
    DMatrixRMaj solution = new DMatrixRMaj(right.numRows, 1);
    LinearSolverDense<DMatrixRMaj> cholesky = LinearSolverFactory_DDRM.chol(right.numRows);
    if (cholesky.setA(normal.copy())) {
      cholesky.solve(right, solution);
    } else {
      CommonOps_DDRM.mult(new NormalEquations(normal).inverse(), right, solution);
    }
    return solution;
  }
}
