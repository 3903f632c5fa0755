package org.weft.storage.text;

/**
 * Decimal digits of whole numbers. Two digits at a time come from a table, and of eight digits all
 * but the first division are multiplications: the JVM's first compiler, which alone compiles in
 * executors, divides by constants as by any number.
 */
final class Digits {
  private static final int EIGHT = 100_000_000;
  private static final byte[] PAIRS = new byte[200];

  /** 10^0 to 10^18. */
  private static final long[] POWERS = new long[19];

  static {
    for (int pair = 0; pair < 100; pair++) {
      PAIRS[2 * pair] = (byte) ('0' + pair / 10);
      PAIRS[2 * pair + 1] = (byte) ('0' + pair % 10);
    }
    POWERS[0] = 1;
    for (int exponent = 1; exponent < POWERS.length; exponent++) {
      POWERS[exponent] = 10 * POWERS[exponent - 1];
    }
  }

  private Digits() {}

  /** 10 to the power of an exponent from 0 to 18. */
  static long power(int exponent) {
    return POWERS[exponent];
  }

  /** How many digits a number has that is not negative; 1 for 0. */
  static int count(long value) {
    int digits = value < EIGHT ? 1 : 9;
    while (digits < POWERS.length && value >= POWERS[digits]) {
      digits++;
    }
    return digits;
  }

  /** Writes a number that is not negative to {@code out} from {@code at} on; returns the end. */
  static int write(long value, byte[] out, int at) {
    int end = at + count(value);
    writeBefore(value, out, end);
    return end;
  }

  /** Writes all digits of a number that is not negative; the last one stands before {@code end}. */
  static void writeBefore(long value, byte[] out, int end) {
    int p = end;
    long high = value;
    while (high >= EIGHT) {
      long rest = high;
      high /= EIGHT;
      int low = (int) (rest - high * EIGHT);
      int upper = tenThousands(low);
      four(upper, out, p - 8);
      four(low - upper * 10_000, out, p - 4);
      p -= 8;
    }
    int left = (int) high;
    while (left >= 100) {
      int hundreds = hundreds(left);
      pair(left - hundreds * 100, out, p - 2);
      left = hundreds;
      p -= 2;
    }
    if (left >= 10) {
      pair(left, out, p - 2);
    } else {
      out[p - 1] = (byte) ('0' + left);
    }
  }

  /** How many zeros a positive number ends with. */
  static int trailingZeros(long value) {
    int zeros = 0;
    long high = value;
    long rest = high / EIGHT;
    while (rest * EIGHT == high) {
      high = rest;
      rest = high / EIGHT;
      zeros += 8;
    }
    int low = (int) (high - rest * EIGHT);
    int upper = tenThousands(low);
    if (upper * 10_000 == low) {
      low = upper;
      zeros += 4;
    }
    for (int tens = tens(low); tens * 10 == low; tens = tens(low)) {
      low = tens;
      zeros++;
    }
    return zeros;
  }

  private static void four(int value, byte[] out, int at) {
    int upper = hundreds(value);
    pair(upper, out, at);
    pair(value - upper * 100, out, at + 2);
  }

  private static void pair(int value, byte[] out, int at) {
    out[at] = PAIRS[2 * value];
    out[at + 1] = PAIRS[2 * value + 1];
  }

  // Quotients of numbers below 10^8 by products: a quotient is exact, as the factor is larger than
  // 2^s / divisor by less than 2^s / (divisor 10^8).

  private static int tenThousands(int value) {
    return (int) (value * 109_951_163L >>> 40);
  }

  private static int hundreds(int value) {
    return (int) (value * 1_374_389_535L >>> 37);
  }

  private static int tens(int value) {
    return (int) (value * 429_496_730L >>> 32);
  }
}
