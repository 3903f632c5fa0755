package org.weft.runtime;

import java.math.BigInteger;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;

/**
 * 5^-342 to 5^308 as 128-bit numbers with the top bit set, which the text parser rounds doubles by
 * (D. Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51, 2021).
 * Computed once, in about a millisecond, and kept for the life of the process.
 */
final class PowersOfFive {
  private static final int LEAST = -342;
  private static final int GREATEST = 308;
  private static final int BITS = 128;

  /** Negative powers from here on are rounded up as they are; smaller ones are divided deeper. */
  private static final int SHALLOW = -27;

  private static final BigInteger FIVE = BigInteger.valueOf(5);

  /** Where the first power's upper 64 bits stand, then its lower ones, then the next power's. */
  static final long ADDRESS = compute();

  private PowersOfFive() {}

  private static long compute() {
    long address = MemorySource.system().allocate((GREATEST - LEAST + 1) * 2L * Long.BYTES);
    for (int exponent = LEAST; exponent <= GREATEST; exponent++) {
      BigInteger power = normalized(exponent);
      long at = address + (exponent - LEAST) * 2L * Long.BYTES;
      NativeMemory.putLong(at, power.shiftRight(Long.SIZE).longValue());
      NativeMemory.putLong(at + Long.BYTES, power.longValue());
    }
    return address;
  }

  private static BigInteger normalized(int exponent) {
    BigInteger power = FIVE.pow(Math.abs(exponent));
    if (exponent >= 0) {
      int shift = BITS - power.bitLength();
      return shift >= 0 ? power.shiftLeft(shift) : power.shiftRight(-shift);
    }
    int bits = power.subtract(BigInteger.ONE).bitLength();
    int scale = exponent >= SHALLOW ? bits + BITS - 1 : 2 * bits + BITS;
    BigInteger inverse = BigInteger.ONE.shiftLeft(scale).divide(power).add(BigInteger.ONE);
    return inverse.shiftRight(Math.max(0, inverse.bitLength() - BITS));
  }
}
