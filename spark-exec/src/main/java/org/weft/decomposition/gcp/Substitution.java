package org.weft.decomposition.gcp;

import org.weft.decomposition.rows.RowRule;

/**
 * How {@link LbfgsDescent} sees the numbers A of factors: as functions of numbers B that have no
 * bound. For nonnegative factors A is the square of B. This does more than it saves the bound: near
 * 0, a sum of counts or a ratio curves the more the smaller a factor's number is, about as 1 / A
 * (poisson) or 1 / A^2 (gamma). A quasi-Newton method whose first guess is one scale for all
 * numbers then takes the tiny steps that the smallest numbers need. In B, the curvature is about
 * the same for all (it is why counts are compared by their roots), and a number that ends at 0 is
 * the minimum of a parabola.
 */
enum Substitution {
  /** {@code A = B}. */
  NONE,
  /** {@code A = B^2}. */
  SQUARES;

  /** Of the factors and losses of a model. */
  static Substitution of(LossModel model) {
    return model.lower() == 0 ? SQUARES : NONE;
  }

  /** A number of a factor, from that of B. */
  double factor(double free) {
    return this == SQUARES ? free * free : free;
  }

  /** A number of B that is at least 0 if the factor's number is. */
  double free(double factor) {
    return this == SQUARES ? Math.sqrt(factor) : factor;
  }

  /** A derivative with respect to B, from that with respect to A. */
  double slope(double free, double slope) {
    return this == SQUARES ? 2 * free * slope : slope;
  }

  /** {@code B}, of B and A. */
  RowRule begin() {
    return (rows, sums) -> {
      for (int r = 0; r < rows[0].length; r++) {
        rows[0][r] = free(rows[1][r]);
      }
    };
  }

  /** {@code H = the gradient with respect to B}, of H, B and the gradient of A. */
  RowRule gradient() {
    return (rows, sums) -> {
      for (int r = 0; r < rows[0].length; r++) {
        rows[0][r] = slope(rows[1][r], rows[2][r]);
      }
    };
  }

  /** {@code A = the factors at B + alpha D}, of A, B and D. */
  RowRule trial(double alpha) {
    return (rows, sums) -> {
      for (int r = 0; r < rows[0].length; r++) {
        rows[0][r] = factor(rows[1][r] + alpha * rows[2][r]);
      }
    };
  }
}
