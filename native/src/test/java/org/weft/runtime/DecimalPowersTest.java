package org.weft.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.weft.memory.NativeMemory;

class DecimalPowersTest {
  private static final BigInteger FIVE = BigInteger.valueOf(5);

  /** The definition of the paper, by whole numbers of any size. */
  private static BigInteger expected(int exponent) {
    BigInteger power = FIVE.pow(Math.abs(exponent));
    if (exponent >= 0) {
      int shift = 128 - power.bitLength();
      return shift >= 0 ? power.shiftLeft(shift) : power.shiftRight(-shift);
    }
    int bits = power.subtract(BigInteger.ONE).bitLength();
    int scale = exponent >= -27 ? bits + 127 : 2 * bits + 128;
    BigInteger inverse = BigInteger.ONE.shiftLeft(scale).divide(power).add(BigInteger.ONE);
    return inverse.shiftRight(Math.max(0, inverse.bitLength() - 128));
  }

  private static BigInteger computed(int exponent) {
    long at = DecimalPowers.ADDRESS + (exponent - DecimalPowers.LEAST) * 16L;
    return unsigned(at).shiftLeft(Long.SIZE).add(unsigned(at + Long.BYTES));
  }

  private static BigInteger unsigned(long address) {
    return new BigInteger(Long.toUnsignedString(NativeMemory.getLong(address)));
  }

  @Test
  void everyPowerIsThatOfTheDefinition() {
    for (int exponent = DecimalPowers.LEAST; exponent <= DecimalPowers.GREATEST; exponent++) {
      assertThat(computed(exponent)).as("5^" + exponent).isEqualTo(expected(exponent));
    }
  }
}
