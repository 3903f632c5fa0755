package org.weft.storage.text;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** Values that are numbers, but perhaps not of the kind that is wanted. */
final class ValueErrors {
  /** What a value of type long has to be. */
  static final String LONG = "a value from -2^63 to 2^63-1, as the type long has";

  private ValueErrors() {}

  static String nonfinite(byte[] b, int at) {
    return "expected a finite value, found "
        + LineErrors.quoteToken(b, at)
        + "; to keep it, allow non-finite values (--allow-nonfinite)";
  }

  /** Whether the token in [{@code from}, {@code to}) is an optional sign and digits. */
  static boolean isInteger(byte[] b, int from, int to) {
    int p = b[from] == '-' || b[from] == '+' ? from + 1 : from;
    while (p < to && b[p] >= '0' && b[p] <= '9') {
      p++;
    }
    return p == to;
  }

  /**
   * The number in [{@code from}, {@code to}) as a long: exactly if it is an integer, else without
   * its fraction; empty if a long cannot hold it.
   *
   * @param value the double that is nearest to it
   */
  static OptionalLong exactLong(byte[] b, int from, int to, double value) {
    if (!isInteger(b, from, to)) {
      boolean fits = value >= Long.MIN_VALUE && value < -(double) Long.MIN_VALUE;
      return fits ? OptionalLong.of((long) value) : OptionalLong.empty();
    }
    try {
      String digits = new String(b, from, to - from, StandardCharsets.US_ASCII);
      return OptionalLong.of(Long.parseLong(digits));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
