package org.weft.decomposition.count;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A row b of {@link NewtonUpdate} and its gradient {@code g = 1 - Phi}.
 *
 * @param free numbers that a direction may change at will
 * @param ended whether the row meets the conditions
 */
@SuppressWarnings("ArrayRecordComponent")
record PoissonRow(double[] b, double[] gradient, int[] free, boolean ended) {
  private static final double NEARLY_ZERO = 1e-8;

  static PoissonRow of(double[] b, double[] phi, double tolerance) {
    double[] gradient = Arrays.stream(phi).map(number -> 1 - number).toArray();
    double most = 0;
    double largest = 0;
    for (int r = 0; r < b.length; r++) {
      most = Math.max(most, Math.abs(Math.min(b[r], gradient[r])));
      largest = Math.max(largest, b[r]);
    }
    double near = NEARLY_ZERO * largest;
    int[] free = IntStream.range(0, b.length).filter(r -> b[r] > near || gradient[r] < 0).toArray();
    return new PoissonRow(b, gradient, free, most < tolerance);
  }

  /**
   * Begins a direction with one along the gradient, scaled by the row: numbers that are 0 and would
   * fall stay, others do not fall below 0.
   *
   * @return whether the row goes on
   */
  boolean begin(double[] d, double[] trial, double[] state) {
    System.arraycopy(b, 0, trial, 0, b.length);
    state[SearchRow.GOES_ON] = ended ? 0 : 1;
    Arrays.setAll(d, r -> ended ? 0 : -gradient[r] * scale(r));
    return !ended;
  }

  /** What the gradient is multiplied by, about the inverse of the Hessian's diagonal. */
  double scale(int r) {
    double mean = Arrays.stream(b).sum() / b.length;
    return gradient[r] > 0 ? b[r] : Math.max(b[r], 1e-3 * mean);
  }

  /** Takes the first trial; a direction along which f does not fall gives way to the gradient. */
  void end(double[] d, double[] trial, double[] state) {
    double slope = slope(d);
    if (!(slope < 0) || !Double.isFinite(slope)) {
      Arrays.setAll(d, r -> -gradient[r] * scale(r));
      slope = slope(d);
    }
    Arrays.setAll(trial, r -> Math.max(0, b[r] + d[r]));
    state[SearchRow.ALPHA] = 1;
    state[SearchRow.SLOPE] = slope;
    state[SearchRow.CURVATURE] = 0;
  }

  private double slope(double[] d) {
    double slope = 0;
    for (int r = 0; r < d.length; r++) {
      slope += gradient[r] * d[r];
    }
    return slope;
  }
}
