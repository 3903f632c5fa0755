package org.weft.decomposition.cp;

import java.util.Arrays;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.decomposition.rows.RowRule;

/**
 * A row of a constrained factor by the alternating direction method of multipliers (Huang,
 * Sidiropoulos and Liavas 2016, algorithm 1), from where the row and its dual u were:
 *
 * <pre>
 * repeat:  b = (m + rho (a + u)) (V + rho I)^-1
 *          a = prox(b - u),  u = u + a - b
 * until    |a - b|^2 below tol |a|^2 and |a - a before|^2 below tol |u|^2
 * </pre>
 *
 * <p>Rows are independent of each other and stop one by one: it does not matter how they are
 * divided among processes. A least-squares solution that a set allows is taken as it is. Cost:
 * {@code O(R^2)} a round.
 *
 * @param weights of the columns of A and of U, multiplied in first
 * @param others what the columns of the MTTKRP M are multiplied by
 * @param inverse {@code V^-1}: R x R, row-major
 * @param shifted {@code (V + rho I)^-1}
 * @param charge of absolute values
 */
@SuppressWarnings("ArrayRecordComponent")
record AdmmRow(
    FactorConstraint constraint,
    double[] weights,
    double[] others,
    double[] inverse,
    double[] shifted,
    double rho,
    double charge)
    implements RowRule {
  private static final int MOST_ROUNDS = 50;
  private static final double TOLERANCE = 1e-4;

  /** Of A, then of U, then of M. */
  @Override
  public void apply(double[][] rows, double[] sums) {
    double[] a = rows[0];
    double[] u = rows[1];
    double[] m = rows[2];
    for (int r = 0; r < a.length; r++) {
      a[r] *= weights[r];
      u[r] *= weights[r];
      m[r] *= others[r];
    }
    if (constraint.isSet() && allowed(m, a, u)) {
      return;
    }
    double[] right = new double[a.length];
    double[] b = new double[a.length];
    for (int round = 0; round < MOST_ROUNDS; round++) {
      for (int r = 0; r < a.length; r++) {
        right[r] = m[r] + rho * (a[r] + u[r]);
      }
      multiply(right, shifted, b);
      System.arraycopy(a, 0, right, 0, a.length);
      for (int r = 0; r < a.length; r++) {
        a[r] = b[r] - u[r];
      }
      constraint.nearest(a, charge / rho);
      double primal = 0;
      double dual = 0;
      double squares = 0;
      double multipliers = 0;
      for (int r = 0; r < a.length; r++) {
        double apart = a[r] - b[r];
        u[r] += apart;
        primal += apart * apart;
        dual += (a[r] - right[r]) * (a[r] - right[r]);
        squares += a[r] * a[r];
        multipliers += u[r] * u[r];
      }
      if (primal <= TOLERANCE * squares && dual <= TOLERANCE * multipliers) {
        return;
      }
    }
  }

  /** Whether the least-squares solution is allowed; then that is the row. */
  private boolean allowed(double[] m, double[] a, double[] u) {
    double[] solution = new double[a.length];
    multiply(m, inverse, solution);
    double[] nearest = solution.clone();
    constraint.nearest(nearest, 0);
    double apart = 0;
    double squares = 0;
    for (int r = 0; r < a.length; r++) {
      apart = Math.max(apart, Math.abs(nearest[r] - solution[r]));
      squares = Math.max(squares, Math.abs(solution[r]));
    }
    if (!(apart <= 1e-15 * squares)) {
      return false;
    }
    System.arraycopy(nearest, 0, a, 0, a.length);
    Arrays.fill(u, 0);
    return true;
  }

  private static void multiply(double[] row, double[] matrix, double[] into) {
    int size = row.length;
    for (int r = 0; r < size; r++) {
      double sum = 0;
      for (int s = 0; s < size; s++) {
        sum += row[s] * matrix[s * size + r];
      }
      into[r] = sum;
    }
  }
}
