package org.weft.compiler.program;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Numbers as C's {@code %g} prints them: 6 significant digits of the exact value, rounded half to
 * even, trailing zeros removed, scientific below 1e-4 and from 1e6 on.
 */
final class GeneralNumber {
  private static final int DIGITS = 6;
  private static final double MOST_INTEGER = 1e6;
  private static final MathContext ROUNDING = new MathContext(DIGITS, RoundingMode.HALF_EVEN);

  private GeneralNumber() {}

  static void append(StringBuilder text, double value) {
    boolean small = value == (int) value && Math.abs(value) < MOST_INTEGER;
    if (small && (value != 0 || 1 / value > 0)) {
      text.append((int) value);
    } else if (Double.isNaN(value)) {
      text.append("nan");
    } else if (Double.isInfinite(value)) {
      text.append(value > 0 ? "inf" : "-inf");
    } else if (value == 0) {
      text.append("-0");
    } else {
      decimal(text, new BigDecimal(value).round(ROUNDING).stripTrailingZeros());
    }
  }

  private static void decimal(StringBuilder text, BigDecimal rounded) {
    int exponent = rounded.precision() - rounded.scale() - 1;
    if (exponent >= -4 && exponent < DIGITS) {
      text.append(rounded.toPlainString());
      return;
    }
    String digits = rounded.unscaledValue().abs().toString();
    text.append(rounded.signum() < 0 ? "-" : "").append(digits.charAt(0));
    if (digits.length() > 1) {
      text.append('.').append(digits, 1, digits.length());
    }
    text.append(exponent < 0 ? "e-" : "e+");
    int size = Math.abs(exponent);
    text.append(size < 10 ? "0" : "").append(size);
  }
}
