package org.weft.storage.text;

import org.weft.text.PowersOfFive;

/**
 * Doubles and floats as the shortest decimal that reads back as the same number and, among those,
 * the nearest: Schubfach (Giulietti, The Schubfach way to render doubles, 2021; {@code
 * Double.toString} uses it from JDK 19 on, in a form with at least two digits, and is sometimes
 * longer before). About 30 ns, no allocation. Not thread-safe.
 */
final class ShortestDecimal {
  /** Most bytes that {@link #write} needs. */
  static final int MAX_BYTES = 28;

  private static final int MIN_POWER = -324;
  private static final int MAX_POWER = 292;
  private static final int SIGNIFICAND_BITS = 52;
  private static final int MIN_EXPONENT = -1074;
  private static final long HIDDEN_BIT = 1L << SIGNIFICAND_BITS;
  private static final int FLOAT_SIGNIFICAND_BITS = 23;
  private static final int FLOAT_MIN_EXPONENT = -149;
  private static final long LOW_63 = Long.MAX_VALUE;
  private static final int PLAIN_MIN_EXPONENT = -5;
  private static final int PLAIN_MAX_EXPONENT = 17;

  /** g(k) of the paper's section 9.8, high and low 63 bits, for every k in the range. */
  private static final long[] POWERS = new long[2 * (MAX_POWER - MIN_POWER + 1)];

  static {
    PowersOfFive.forEach(-MAX_POWER, -MIN_POWER, ShortestDecimal::put);
  }

  private long significand;
  private int exponent;

  /** g(-power) is the leading 126 bits of 10^power, and 1. */
  private static void put(int power, long upper, long lower) {
    long low = ((upper & 1) << 62 | lower >>> 2) + 1;
    int at = 2 * (-power - MIN_POWER);
    POWERS[at] = (upper >>> 1) + (low >>> 63);
    POWERS[at + 1] = low & LOW_63;
  }

  /** Writes {@code value} to {@code out} from {@code at} on; returns the end. */
  int write(double value, byte[] out, int at) {
    return write(value, false, out, at);
  }

  /** As above for a float, whose neighbours are further away. */
  int write(float value, byte[] out, int at) {
    return write(value, true, out, at);
  }

  private int write(double value, boolean ofFloat, byte[] out, int at) {
    int p = at;
    long bits = Double.doubleToRawLongBits(value);
    if (!Double.isFinite(value)) {
      return text(Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf", out, p);
    }
    if (bits < 0) {
      out[p++] = '-';
    }
    if (value == 0) {
      out[p++] = '0';
      return p;
    }
    if (ofFloat) {
      decompose(Float.floatToRawIntBits((float) value));
    } else {
      decompose(bits);
    }
    if (exponent == 0) {
      return Digits.write(significand, out, p);
    }
    int zeros = Digits.trailingZeros(significand);
    if (zeros > 0) {
      significand /= Digits.power(zeros);
      exponent += zeros;
    }
    int count = Digits.count(significand);
    int scientific = exponent + count - 1;
    if (scientific < PLAIN_MIN_EXPONENT || scientific > PLAIN_MAX_EXPONENT) {
      return writeScientific(out, p, count, scientific);
    }
    return writePlain(out, p, count);
  }

  private int writePlain(byte[] out, int at, int count) {
    int whole = count + exponent;
    if (whole > 0 && whole < count) {
      return writePointed(out, at, count, whole);
    }
    int p = at;
    if (whole <= 0) {
      out[p++] = '0';
      out[p++] = '.';
      for (int i = whole; i < 0; i++) {
        out[p++] = '0';
      }
    }
    p = Digits.write(significand, out, p);
    for (int i = count; i < whole; i++) {
      out[p++] = '0';
    }
    return p;
  }

  /** Writes the digits with a point behind the first {@code whole} ones. */
  private int writePointed(byte[] out, int at, int count, int whole) {
    int end = at + count + 1;
    Digits.writeBefore(significand, out, end);
    for (int i = at; i < at + whole; i++) {
      out[i] = out[i + 1];
    }
    out[at + whole] = '.';
    return end;
  }

  private int writeScientific(byte[] out, int at, int count, int scientific) {
    int p = count > 1 ? writePointed(out, at, count, 1) : Digits.write(significand, out, at);
    out[p++] = 'e';
    if (scientific < 0) {
      out[p++] = '-';
    }
    return Digits.write(Math.abs(scientific), out, p);
  }

  static int text(String text, byte[] out, int at) {
    for (int i = 0; i < text.length(); i++) {
      out[at + i] = (byte) text.charAt(i);
    }
    return at + text.length();
  }

  /** Sets significand and exponent of the decimal: its value is significand 10^exponent. */
  private void decompose(long bits) {
    long fraction = bits & (HIDDEN_BIT - 1);
    int biased = (int) (bits >>> SIGNIFICAND_BITS) & 0x7FF;
    if (biased == 0) {
      search(MIN_EXPONENT, fraction, true);
      return;
    }
    long whole = HIDDEN_BIT | fraction;
    int fractionBits = 1 - MIN_EXPONENT - biased;
    if (fractionBits > 0 && fractionBits <= SIGNIFICAND_BITS) {
      long integer = whole >> fractionBits;
      if (integer << fractionBits == whole) {
        significand = integer;
        exponent = 0;
        return;
      }
    }
    search(-fractionBits, whole, whole != HIDDEN_BIT || -fractionBits == MIN_EXPONENT);
  }

  private void decompose(int bits) {
    int fraction = bits & (1 << FLOAT_SIGNIFICAND_BITS) - 1;
    int biased = bits >>> FLOAT_SIGNIFICAND_BITS & 0xFF;
    if (biased == 0) {
      search(FLOAT_MIN_EXPONENT, fraction, true);
      return;
    }
    search(
        FLOAT_MIN_EXPONENT - 1 + biased,
        1 << FLOAT_SIGNIFICAND_BITS | fraction,
        fraction != 0 || biased == 1);
  }

  /**
   * The shortest decimal in the rounding interval of c 2^q; section 9.9 of the paper.
   *
   * @param regular whether the number below is as near as the one above
   */
  private void search(int q, long c, boolean regular) {
    int odd = (int) c & 1;
    long cb = c << 2;
    long cbl = regular ? cb - 2 : cb - 1;
    int k = regular ? floorLog10Pow2(q) : floorLog10ThreeQuartersPow2(q);
    int h = q + floorLog2Pow10(-k) + 2;
    long g1 = POWERS[2 * (k - MIN_POWER)];
    long g0 = POWERS[2 * (k - MIN_POWER) + 1];
    long vb = roundToOdd(g1, g0, cb << h);
    long vbl = roundToOdd(g1, g0, cbl << h);
    long vbr = roundToOdd(g1, g0, cb + 2 << h);
    exponent = k;
    long s = vb >> 2;
    if (s >= 10) {
      long lower = s / 10 * 10;
      long upper = lower + 10;
      boolean lowerIn = vbl + odd <= lower << 2;
      boolean upperIn = (upper << 2) + odd <= vbr;
      if (lowerIn != upperIn) {
        significand = lowerIn ? lower : upper;
        return;
      }
    }
    long t = s + 1;
    boolean sIn = vbl + odd <= s << 2;
    boolean tIn = (t << 2) + odd <= vbr;
    if (sIn != tIn) {
      significand = sIn ? s : t;
      return;
    }
    long towards = vb - (s + t << 1);
    significand = towards < 0 || (towards == 0 && (s & 1) == 0) ? s : t;
  }

  private static long roundToOdd(long g1, long g0, long cp) {
    long x1 = Math.multiplyHigh(g0, cp);
    long y0 = g1 * cp;
    long y1 = Math.multiplyHigh(g1, cp);
    long z = (y0 >>> 1) + x1;
    long w = y1 + (z >>> 63);
    return w | ((z & LOW_63) + LOW_63) >>> 63;
  }

  private static int floorLog10Pow2(int e) {
    return (int) (e * 661_971_961_083L >> 41);
  }

  private static int floorLog10ThreeQuartersPow2(int e) {
    return (int) (e * 661_971_961_083L - 274_743_187_321L >> 41);
  }

  private static int floorLog2Pow10(int e) {
    return (int) (e * 913_124_641_741L >> 38);
  }
}
