package org.weft.decomposition.completion;

import java.io.Serializable;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.decomposition.TriangularSolver_DDRM;
import org.ejml.dense.row.decomposition.chol.CholeskyDecompositionInner_DDRM;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.NormalEquations;
import org.weft.decomposition.rows.RowRule;

/**
 * A row of a factor from its normal equations, {@code (N + diag(ridge)) a = b} for the columns that
 * are free; the others keep their numbers. Rows: a, b and the sum over the slice's entries of which
 * N is made ({@link Everywhere}). A slice without entries has a = 0 in its free columns, unless
 * missing cells count. Cost: {@code O(free^3)}.
 *
 * @param mode for messages
 * @param sweep for messages, counts from 1
 * @param free columns that are solved for
 * @param ridge for each column
 * @param everywhere what all cells of a slice add to N
 */
@SuppressWarnings("ArrayRecordComponent")
record RidgeRow(int mode, int sweep, int[] free, double[] ridge, Everywhere everywhere)
    implements RowRule {
  /**
   * Cells of a slice that are not stored: N is {@code (1 - weight) S + weight V} for the sum S over
   * the entries.
   *
   * @param weight of such a cell, from 0 to 1: with 0 there is no V, and with 1 there is no S
   * @param v the sum over all cells: columns x columns, row-major
   */
  record Everywhere(double weight, double[] v) implements Serializable {
    double normal(double[][] rows, int at) {
      double sum = weight < 1 ? (1 - weight) * rows[2][at] : 0;
      return weight > 0 ? sum + weight * v[at] : sum;
    }
  }

  @Override
  public void apply(double[][] rows, double[] sums) {
    double[] a = rows[0];
    int size = free.length;
    for (int column : free) {
      a[column] = 0;
    }
    double[] normal = new double[size * size];
    double[] right = new double[size];
    double sum = 0;
    for (int r = 0; r < size; r++) {
      int at = free[r] * a.length;
      right[r] = rows[1][free[r]];
      for (int c = 0; c < a.length; c++) {
        right[r] -= everywhere.normal(rows, at + c) * a[c];
      }
      for (int c = 0; c < size; c++) {
        normal[r * size + c] = everywhere.normal(rows, at + free[c]);
        sum += normal[r * size + c];
      }
      normal[r * size + r] += ridge[free[r]];
      sum += right[r];
    }
    Sweeps.requireFinite(
        "iteration " + sweep + ", mode " + mode + ": the sum of a slice's normal equations", sum);
    double[] solution = solution(normal, right);
    for (int r = 0; r < size; r++) {
      a[free[r]] = solution[r];
    }
  }

  private static double[] solution(double[] normal, double[] right) {
    int size = right.length;
    CholeskyDecompositionInner_DDRM cholesky = new CholeskyDecompositionInner_DDRM(true);
    DMatrixRMaj lower = new DMatrixRMaj(size, size, true, normal.clone());
    if (cholesky.decompose(lower)) {
      double[] solution = right.clone();
      TriangularSolver_DDRM.solveL(lower.data, solution, size);
      TriangularSolver_DDRM.solveTranL(lower.data, solution, size);
      return solution;
    }
    DMatrixRMaj inverse = new NormalEquations(new DMatrixRMaj(size, size, true, normal)).inverse();
    DMatrixRMaj product = new DMatrixRMaj(size, 1);
    CommonOps_DDRM.mult(inverse, new DMatrixRMaj(size, 1, true, right), product);
    return product.data;
  }
}
