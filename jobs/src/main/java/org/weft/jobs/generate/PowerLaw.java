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

  /** The law on [from, to), for many draws. */
  Range range(long from, long to) {
    double low = integral(from + 1.0);
    return new Range(from, to, low, integral(to + 1.0) - low);
  }

  /** Coordinates [from, to) of the law: the mass below them and their own. */
  final class Range {
    private final long from;
    private final long to;
    private final double below;
    private final double mass;

    private Range(long from, long to, double below, double mass) {
      this.from = from;
      this.to = to;
      this.below = below;
      this.mass = mass;
    }

    /** How far beyond the first the coordinate is below which the share {@code u} lies. */
    long quantile(double u) {
      long coordinate = (long) inverse(below + u * mass) - 1;
      return Math.min(to - 1, Math.max(from, coordinate)) - from;
    }

    long size() {
      return to - from;
    }
  }

  private double integral(double x) {
    double e = 1 - exponent;
    if (e == 1) {
      return x;
    }
    return Math.abs(e) < NEARLY_ONE ? StrictMath.log(x) : StrictMath.pow(x, e) / e;
  }

  private double inverse(double y) {
    double e = 1 - exponent;
    if (e == 1) {
      return y;
    }
    return Math.abs(e) < NEARLY_ONE ? StrictMath.exp(y) : StrictMath.pow(y * e, 1 / e);
  }
}
