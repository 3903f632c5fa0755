package org.weft.decomposition.constraint;

/**
 * Solves {@code (a I + w D^T D) x = b} for second differences D: {@code (D x)_i = x_{i-1} - 2 x_i +
 * x_{i+1}}. The matrix has five diagonals and is positive definite for {@code a > 0}: LDL^T without
 * pivots (Golub and Van Loan 2013, section 4.3.6). Cost: {@code O(n)}.
 */
public final class Smoothing {
  private final double[] pivots;
  private final double[] first;
  private final double[] second;

  /**
   * Factorises.
   *
   * @param n numbers
   * @param diagonal a, above 0
   * @param weight w, at least 0
   */
  public Smoothing(int n, double diagonal, double weight) {
    pivots = new double[n];
    first = new double[n];
    second = new double[n];
    for (int i = 0; i < n; i++) {
      double beside = i < 1 ? 0 : weight * product(n, i, i - 1);
      double far = i < 2 ? 0 : weight * product(n, i, i - 2);
      second[i] = i < 2 ? 0 : far / pivots[i - 2];
      first[i] = i < 1 ? 0 : (beside - (i < 2 ? 0 : far * first[i - 1])) / pivots[i - 1];
      pivots[i] = diagonal + weight * product(n, i, i);
      pivots[i] -= i < 1 ? 0 : first[i] * first[i] * pivots[i - 1];
      pivots[i] -= i < 2 ? 0 : second[i] * far;
    }
  }

  /** Of {@code D^T D}: {@code D} has a row for each slice that has one before and one after it. */
  private static double product(int n, int i, int j) {
    double sum = 0;
    for (int middle = Math.max(1, i - 1); middle <= Math.min(n - 2, i + 1); middle++) {
      sum += difference(middle - i) * difference(middle - j);
    }
    return sum;
  }

  private static double difference(int offset) {
    return offset == 0 ? -2 : Math.abs(offset) == 1 ? 1 : 0;
  }

  /** Replaces b by x. */
  public void solve(double[] b) {
    int n = pivots.length;
    for (int i = 1; i < n; i++) {
      b[i] -= first[i] * b[i - 1] + (i < 2 ? 0 : second[i] * b[i - 2]);
    }
    for (int i = n - 1; i >= 0; i--) {
      b[i] /= pivots[i];
      b[i] -= i + 1 < n ? first[i + 1] * b[i + 1] : 0;
      b[i] -= i + 2 < n ? second[i + 2] * b[i + 2] : 0;
    }
  }
}
