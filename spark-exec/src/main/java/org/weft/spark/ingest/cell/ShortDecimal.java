package org.weft.spark.ingest.cell;

/**
 * Decimal numbers of at most 15 digits without an exponent: the digits and the power of ten are
 * exact doubles, so that their quotient is the nearest double (Clinger, How to read floating point
 * numbers accurately, PLDI 1990).
 */
public final class ShortDecimal {
  private static final int DIGITS = 15;
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  private ShortDecimal() {}

  /** The number in {@code [from, to)}; NaN if it is not one of these. */
  public static double parse(byte[] text, int from, int to) {
    boolean signed = from < to && (text[from] == '-' || text[from] == '+');
    int first = signed ? from + 1 : from;
    if (first == to || to - first > DIGITS + 1) {
      return Double.NaN;
    }
    long digits = 0;
    int count = 0;
    int point = -1;
    for (int at = first; at < to; at++) {
      int digit = text[at] - '0';
      if (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit;
        count++;
      } else if (text[at] == '.' && point < 0) {
        point = at;
      } else {
        return Double.NaN;
      }
    }
    if (count == 0 || count > DIGITS) {
      return Double.NaN;
    }
    double value = point < 0 ? digits : digits / POWERS[to - point - 1];
    return signed && text[from] == '-' ? -value : value;
  }
}
