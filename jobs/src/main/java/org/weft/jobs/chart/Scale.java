package org.weft.jobs.chart;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Where values of an axis lie: from 0 for {@code low} to 1 for {@code high}.
 *
 * @param logarithmic only for a {@code low} above 0
 */
record Scale(double low, double high, boolean logarithmic) {
  private static final MathContext DIGITS = new MathContext(12);

  /** Digits of a number that is written with a power of ten. */
  private static final int SHORT = 4;

  /** With fewer ticks than this a linear axis says little, where there is room for more. */
  private static final int FEWEST = 4;

  private static final double MARGIN = 0.05;
  private static final double ROOM = 0.6;

  /** Values that differ by a smaller share of their size differ by rounding only. */
  private static final double ROUNDING = 1e-9;

  /** A scale that has all {@code values}, with room around them. */
  static Scale of(List<Double> values, boolean logarithmic) {
    double least = values.stream().mapToDouble(v -> v).min().orElse(logarithmic ? 1 : 0);
    double most = values.stream().mapToDouble(v -> v).max().orElse(least + 1);
    if (logarithmic) {
      double positive = (least > 0 ? least : most > 0 ? most / 1e3 : 1) * ROOM;
      return new Scale(power(positive, false), power(Math.max(most, positive * 1.01), true), true);
    }
    boolean differ = most - least > ROUNDING * Math.max(Math.abs(least), Math.abs(most));
    double range = differ ? most - least : Math.max(1e-6, Math.abs(most));
    return new Scale(least - MARGIN * range, most + MARGIN * range, false);
  }

  /** A logarithmic scale from the round value below the least to that above the most. */
  static Scale around(List<Double> values) {
    double least = values.stream().mapToDouble(v -> v).min().orElse(1);
    double most = values.stream().mapToDouble(v -> v).max().orElse(1);
    return new Scale(power(least, false), power(most, true), true);
  }

  /** The next of 1, 2 and 5 times a power of ten, below or above. */
  private static double power(double value, boolean above) {
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    double best = above ? 10 * power : power;
    for (double times : new double[] {1, 2, 5}) {
      double at = times * power;
      if (above ? at >= value && at < best : at <= value && at > best) {
        best = at;
      }
    }
    return best;
  }

  double at(double value) {
    return logarithmic
        ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
        : (value - low) / (high - low);
  }

  /** Round values, {@code most} of them or a few more. */
  List<Double> ticks(int most) {
    List<Double> ticks = new ArrayList<>();
    if (logarithmic) {
      double decades = Math.log10(high / low);
      double[] times = decades > most ? new double[] {1} : new double[] {1, 2, 5};
      int every = decades > 2 * most ? (int) Math.ceil(decades / most) : 1;
      for (int p = (int) Math.floor(Math.log10(low)); Math.pow(10, p) <= high; p += every) {
        for (double t : decades > most / 2.0 ? new double[] {1} : times) {
          double tick = t * Math.pow(10, p);
          if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) {
            ticks.add(tick);
          }
        }
      }
      return ticks;
    }
    double step = step((high - low) / most);
    if (count(step) < FEWEST && count(finer(step)) <= 2 * most) {
      step = finer(step);
    }
    long last = (long) Math.floor(high / step + 1e-9);
    for (long n = (long) Math.ceil(low / step - 1e-9); n <= last; n++) {
      ticks.add(n == 0 ? 0 : n * step);
    }
    return ticks;
  }

  /** How many multiples of {@code step} the scale has. */
  private long count(double step) {
    return (long) (Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9)) + 1;
  }

  /** The next smaller step. */
  private static double finer(double step) {
    return step(step / 2.5);
  }

  /** The least of 1, 2 and 5 times a power of ten that is at least {@code least}. */
  private static double step(double least) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(1e-300, least))));
    for (double times : new double[] {1, 2, 5}) {
      if (times * power >= least * (1 - 1e-9)) {
        return times * power;
      }
    }
    return 10 * power;
  }

  /** As short as it is exact: neighbouring ticks never have the same text. */
  static String label(double value) {
    if (value == 0 || !Double.isFinite(value)) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    BigDecimal exact = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
    int exponent = exact.precision() - exact.scale() - 1;
    boolean isExtreme = exponent < -3 || exponent >= 6;
    if (isExtreme && exact.precision() <= SHORT) {
      return exact.scaleByPowerOfTen(-exponent).toPlainString() + "e" + exponent;
    }
    return exponent < 3
        ? exact.toPlainString()
        : String.format(Locale.ROOT, "%,." + Math.max(0, exact.scale()) + "f", exact);
  }
}
