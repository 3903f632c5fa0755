package org.weft.storage.text;

/** Values that are numbers, but perhaps not of the kind that is wanted. */
final class ValueErrors {
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
}
