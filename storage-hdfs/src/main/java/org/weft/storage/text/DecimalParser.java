package org.weft.storage.text;

import ch.randelshofer.fastdoubleparser.JavaDoubleParser;

/**
 * Decimal text to the nearest double. Numbers of at most 18 digits whose significand and power of
 * ten are both exact doubles take one multiplication or division (Clinger, How to read floating
 * point numbers accurately, PLDI 1990); the rest go to fastdoubleparser. The grammar is {@code [+-]
 * digits [. digits] [e [+-] digits]} with a digit before or after the point, and {@code nan},
 * {@code inf}, {@code infinity} in any case; neither hexadecimal nor type suffixes.
 */
final class DecimalParser {
  private static final int EXACT_DIGITS = 18;
  private static final long EXACT_SIGNIFICAND = 1L << 53;
  private static final int EXPONENT_CAP = 1_000_000;
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };
  private static final String[] NAMES = {"nan", "inf", "infinity"};

  private int end;

  /** Position after the last token parsed; -1 if it was no number. */
  int end() {
    return end;
  }

  /** Parses the token at {@code from}; some byte after it ends it. */
  double parse(byte[] b, int from) {
    int p = from;
    boolean negative = b[p] == '-';
    if (negative || b[p] == '+') {
      p++;
    }
    int start = p;
    long significand = 0;
    int digit = b[p] - '0';
    while (digit >= 0 && digit <= 9) {
      significand = significand * 10 + digit;
      digit = b[++p] - '0';
    }
    int digits = p - start;
    int fraction = 0;
    if (b[p] == '.') {
      int point = p;
      digit = b[++p] - '0';
      while (digit >= 0 && digit <= 9) {
        significand = significand * 10 + digit;
        digit = b[++p] - '0';
      }
      fraction = p - point - 1;
      digits += fraction;
    }
    if (digits == 0) {
      return special(b, start, negative);
    }
    if (LineRules.endsToken(b[p]) && digits <= EXACT_DIGITS) {
      end = p;
      if (significand <= EXACT_SIGNIFICAND) {
        double value = significand / POWERS[fraction];
        return negative ? -value : value;
      }
      return JavaDoubleParser.parseDouble(b, from, p - from);
    }
    return withExponent(b, from, p, digits <= EXACT_DIGITS ? significand : -1, fraction);
  }

  /** The rest of a token with an exponent, or with more digits than the fast path takes. */
  private double withExponent(byte[] b, int from, int at, long significand, int fraction) {
    int p = at;
    int exponent = 0;
    if ((b[p] | 0x20) == 'e') {
      p++;
      boolean negative = b[p] == '-';
      if (negative || b[p] == '+') {
        p++;
      }
      int start = p;
      while (b[p] >= '0' && b[p] <= '9') {
        exponent = Math.min(EXPONENT_CAP, exponent * 10 + (b[p] - '0'));
        p++;
      }
      if (p == start) {
        return invalid();
      }
      exponent = negative ? -exponent : exponent;
    }
    if (!LineRules.endsToken(b[p])) {
      return invalid();
    }
    end = p;
    int scale = exponent - fraction;
    if (significand >= 0 && significand <= EXACT_SIGNIFICAND && Math.abs(scale) < POWERS.length) {
      double value = scale < 0 ? significand / POWERS[-scale] : significand * POWERS[scale];
      return b[from] == '-' ? -value : value;
    }
    return JavaDoubleParser.parseDouble(b, from, p - from);
  }

  private double special(byte[] b, int from, boolean negative) {
    for (String name : NAMES) {
      int p = from;
      while (p - from < name.length() && (b[p] | 0x20) == name.charAt(p - from)) {
        p++;
      }
      if (p - from == name.length() && LineRules.endsToken(b[p])) {
        end = p;
        double infinity = negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        return name.equals("nan") ? Double.NaN : infinity;
      }
    }
    return invalid();
  }

  private double invalid() {
    end = -1;
    return Double.NaN;
  }
}
