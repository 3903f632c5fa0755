package org.weft.text;

/**
 * The leading 128 bits of powers of five, which decimal numbers are read and written by. Processes
 * that read or write text begin with them, before any code is compiled, so a power comes from the
 * one before by one pass over its digits.
 */
public final class PowersOfFive {
  private static final int FIVE = 5;

  /** Digits of 32 bits, for every power that doubles need. */
  private static final int DIGITS = 32;

  private static final int MOST = 350;
  private static final long DIGIT = 0xffffffffL;

  private PowersOfFive() {}

  /** What is done with a power. */
  @FunctionalInterface
  public interface Use {
    /**
     * Takes {@code 5^exponent / 2^x = 2^64 upper + lower}, x such that the top bit of {@code upper}
     * is set, and what is less than 1 cut off.
     */
    void take(int exponent, long upper, long lower);
  }

  /** Gives the powers from {@code least} to {@code greatest}, which are within -350 and 350. */
  public static void forEach(int least, int greatest, Use use) {
    if (least < -MOST || greatest > MOST) {
      throw new IllegalArgumentException("powers from " + least + " to " + greatest);
    }
    int[] digits = new int[DIGITS]; // the lowest first
    digits[0] = 1;
    for (int exponent = 0; exponent <= greatest; exponent++) {
      if (exponent >= least) {
        give(exponent, digits, use);
      }
      multiply(digits);
    }
    digits = new int[DIGITS];
    digits[DIGITS - 1] = 1; // the others are its fraction
    for (int exponent = -1; exponent >= least; exponent--) {
      divide(digits);
      if (exponent <= greatest) {
        give(exponent, digits, use);
      }
    }
  }

  private static void multiply(int[] digits) {
    long carry = 0;
    for (int d = 0; d < digits.length; d++) {
      carry += (digits[d] & DIGIT) * FIVE;
      digits[d] = (int) carry;
      carry >>>= Integer.SIZE;
    }
  }

  /** Cutting off each quotient leaves the digits that cutting off the last one alone would. */
  private static void divide(int[] digits) {
    long rest = 0;
    for (int d = digits.length - 1; d >= 0; d--) {
      long dividend = (rest << Integer.SIZE) + (digits[d] & DIGIT);
      digits[d] = (int) (dividend / FIVE);
      rest = dividend % FIVE;
    }
  }

  private static void give(int exponent, int[] digits, Use use) {
    int top = digits.length - 1;
    while (digits[top] == 0) {
      top--;
    }
    int shift = Integer.numberOfLeadingZeros(digits[top]);
    use.take(exponent, word(digits, top, shift), word(digits, top - 2, shift));
  }

  /** 64 bits, without the first {@code shift} bits of a digit. */
  private static long word(int[] digits, int top, int shift) {
    long bits = digit(digits, top) << Integer.SIZE | digit(digits, top - 1);
    return shift == 0 ? bits : bits << shift | digit(digits, top - 2) >>> (Integer.SIZE - shift);
  }

  private static long digit(int[] digits, int d) {
    return d < 0 ? 0 : digits[d] & DIGIT;
  }
}
