package org.weft.decomposition.count;

import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.factory.LinearSolverFactory_DDRM;
import org.ejml.interfaces.linsol.LinearSolverDense;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.RowRule;

/**
 * The direction of a row by damped Newton (Hansen, Plantenga and Kolda 2015, algorithm 3): of D, of
 * the trial T, of the row's state, of the factor A, of Phi, and of the Hessian. Numbers that are 0
 * and would fall stay, those that nearly are go along the gradient, the others are free: {@code d =
 * -(H + mu h I)^-1 g}, h being the mean of H's diagonal, so that mu has no scale. Cost: {@code
 * O(free^3)}.
 *
 * @param tolerance of the conditions: a row that meets them does not go on
 * @param mode for messages
 * @param sweep for messages
 */
record DampedNewtonRow(double tolerance, int mode, int sweep) implements RowRule {
  @Override
  public void apply(double[][] rows, double[] sums) {
    double[] d = rows[0];
    double[] state = rows[2];
    double[] b = rows[3];
    double[] phi = rows[4];
    double[] hessian = rows[5];
    PoissonRow row = PoissonRow.of(b, phi, tolerance);
    if (row.begin(d, rows[1], state)) {
      double diagonal = 0;
      for (int r : row.free()) {
        diagonal += hessian[r * d.length + r];
      }
      Sweeps.requireFinite(
          "iteration " + sweep + ", mode " + mode + ": the diagonal of a slice's Hessian",
          diagonal);
      double shift = state[SearchRow.DAMPING] * diagonal / Math.max(1, row.free().length);
      if (diagonal > 0) {
        solve(row, hessian, shift, d);
      }
      row.end(d, rows[1], state);
      state[SearchRow.CURVATURE] = curvature(d, hessian);
    }
  }

  private static void solve(PoissonRow row, double[] hessian, double shift, double[] d) {
    int[] free = row.free();
    DMatrixRMaj matrix = new DMatrixRMaj(free.length, free.length);
    DMatrixRMaj right = new DMatrixRMaj(free.length, 1);
    for (int i = 0; i < free.length; i++) {
      for (int j = 0; j < free.length; j++) {
        matrix.set(i, j, hessian[free[i] * d.length + free[j]]);
      }
      matrix.add(i, i, shift);
      right.set(i, 0, -row.gradient()[free[i]]);
    }
    LinearSolverDense<DMatrixRMaj> cholesky = LinearSolverFactory_DDRM.chol(free.length);
    DMatrixRMaj solution = new DMatrixRMaj(free.length, 1);
    if (cholesky.setA(matrix)) {
      cholesky.solve(right, solution);
      IntStream.range(0, free.length).forEach(i -> d[free[i]] = solution.get(i, 0));
    }
  }

  private static double curvature(double[] d, double[] hessian) {
    double sum = 0;
    for (int r = 0; r < d.length; r++) {
      for (int s = 0; s < d.length; s++) {
        sum += d[r] * hessian[r * d.length + s] * d[s];
      }
    }
    return sum;
  }
}
