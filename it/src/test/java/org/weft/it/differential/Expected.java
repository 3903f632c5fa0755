package org.weft.it.differential;

import java.util.Arrays;

/**
 * What a result must hold: per stored position (a slice's row, or a coordinate of the kept modes)
 * {@code columns} sums of terms.
 */
final class Expected {
  private static final double EPSILON = Math.ulp(1.0);
  private static final double RELATIVE = 1e-10;

  final int columns;
  private final double[] sum;
  private final double[] magnitude;
  private final int[] terms;

  Expected(int positions, int columns) {
    this.columns = columns;
    this.sum = new double[Math.multiplyExact(positions, columns)];
    this.magnitude = new double[sum.length];
    this.terms = new int[positions];
  }

  /** One entry's contributions are about to be added at the position. */
  void begin(int position) {
    terms[position]++;
  }

  void add(int position, int column, double term) {
    sum[position * columns + column] += term;
    magnitude[position * columns + column] += Math.abs(term);
  }

  double value(int position, int column) {
    return sum[position * columns + column];
  }

  int terms(int position) {
    return terms[position];
  }

  /** Whether the actual value agrees; NaN and infinities must be the same. */
  boolean agrees(int position, int column, double actual) {
    double expected = value(position, column);
    if (!Double.isFinite(expected)) {
      return Double.compare(expected, actual) == 0;
    }
    // Each term is a product of at most ~8 factors, each sum has terms-1 additions.
    double rounding = (terms[position] + 8.0) * EPSILON * magnitude[position * columns + column];
    return Math.abs(expected - actual) <= Math.max(RELATIVE * Math.abs(expected), rounding);
  }

  String describe(int position, int column, double actual) {
    return "expected %s (sum of %d terms of magnitude %s), found %s"
        .formatted(
            value(position, column),
            terms[position],
            magnitude[position * columns + column],
            actual);
  }

  double largestMagnitude() {
    return Arrays.stream(magnitude).max().orElse(0);
  }
}
