package org.weft.decomposition.count;

import org.weft.decomposition.rows.RowRule;

/**
 * A row's search along its direction: of the factor A, of the trial T, of the row's state, of the
 * direction D, of Phi, and of the sum of {@code x log m} at T. A trial is taken if {@code f(T)} is
 * at most {@code f(A) + 1e-4 g . (T - A)} (Armijo). One that is not is halved, and after so many
 * the row takes the multiplicative update, under which f never rises. The sums are those of the
 * columns of A, and the number of rows that go on.
 *
 * @param trial counts from 0, or {@link #BEGIN}
 * @param slack of f by rounding, relative
 */
record SearchRow(int trial, double slack) implements RowRule {
  /** The sum is that at A, which has no state yet. */
  static final int BEGIN = -1;

  /** Where a row's state has f at A. */
  static final int VALUE = 0;

  /** The damping, relative to the mean of the Hessian's diagonal. */
  static final int DAMPING = 1;

  static final int ALPHA = 2;

  /** {@code g . d}. */
  static final int SLOPE = 3;

  /** {@code d . H d}. */
  static final int CURVATURE = 4;

  /** 0 if the row has ended, 1 if it searches, 2 if it takes what comes. */
  static final int GOES_ON = 5;

  static final int COLUMNS = 6;
  private static final int MOST_HALVINGS = 5;
  private static final double LEAST_DAMPING = 1e-5;

  @Override
  public void apply(double[][] rows, double[] sums) {
    double[] a = rows[0];
    double[] trials = rows[1];
    double[] state = rows[2];
    if (trial == BEGIN) {
      state[VALUE] = value(a, rows[5][0]);
      state[DAMPING] = LEAST_DAMPING;
    } else if (state[GOES_ON] != 0) {
      search(a, trials, state, rows[3], rows[4], value(trials, rows[5][0]));
      sums[a.length] += state[GOES_ON] == 0 ? 0 : 1;
    }
    for (int r = 0; r < a.length; r++) {
      sums[r] += a[r];
    }
  }

  private static double value(double[] row, double logarithms) {
    double sum = 0;
    for (double number : row) {
      sum += number;
    }
    return sum - logarithms;
  }

  private void search(
      double[] a, double[] trials, double[] state, double[] d, double[] phi, double value) {
    double expected = 0;
    for (int r = 0; r < a.length; r++) {
      expected += (1 - phi[r]) * (trials[r] - a[r]);
    }
    double most = state[VALUE] + 1e-4 * expected + slack * Math.abs(state[VALUE]);
    if (state[GOES_ON] == 2 || value <= most) {
      damp(state, value);
      System.arraycopy(trials, 0, a, 0, a.length);
      state[VALUE] = value;
      state[GOES_ON] = 0;
    } else if (trial < MOST_HALVINGS) {
      state[ALPHA] /= 2;
      for (int r = 0; r < a.length; r++) {
        trials[r] = Math.max(0, a[r] + state[ALPHA] * d[r]);
      }
    } else {
      for (int r = 0; r < a.length; r++) {
        trials[r] = a[r] * phi[r];
      }
      state[GOES_ON] = 2;
    }
  }

  /** More where the quadratic model promised too much, less where it held (section 3.2). */
  private static void damp(double[] state, double value) {
    double alpha = state[ALPHA];
    double promised = alpha * state[SLOPE] + alpha * alpha / 2 * state[CURVATURE];
    double ratio = (value - state[VALUE]) / promised;
    if (state[GOES_ON] == 2 || ratio < 0.25) {
      state[DAMPING] *= 3.5;
    } else if (ratio > 0.75) {
      state[DAMPING] /= 3.5;
    }
  }
}
