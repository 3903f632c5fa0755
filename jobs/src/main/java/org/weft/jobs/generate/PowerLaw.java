package org.weft.jobs.generate;

/**
 * A bounded power law over coordinates [0, size): density proportional to x^-a at x = coordinate +
 * 1, integrated over unit intervals. Mass and quantile are closed forms, {@code O(1)}.
 */
final class PowerLaw {
  private static final double NEARLY_ONE = 1e-9;

  private final double exponent;

  PowerLaw(double exponent) {
    this.exponent = exponent;
  }

  /** Unnormalised mass of the coordinates in [from, to). */
  double mass(long from, long to) {
    return integral(to + 1.0) - integral(from + 1.0);
  }

  /**
   * The coordinate in [from, to) below which the share {@code u} of the mass of [from, to) lies.
   */
  long quantile(double u, long from, long to) {
    double low = integral(from + 1.0);
    double at = inverse(low + u * (integral(to + 1.0) - low));
    return Math.min(to - 1, Math.max(from, (long) at - 1));
  }

  private double integral(double x) {
    double e = 1 - exponent;
    return Math.abs(e) < NEARLY_ONE ? StrictMath.log(x) : StrictMath.pow(x, e) / e;
  }

  private double inverse(double y) {
    double e = 1 - exponent;
    return Math.abs(e) < NEARLY_ONE ? StrictMath.exp(y) : StrictMath.pow(y * e, 1 / e);
  }
}
