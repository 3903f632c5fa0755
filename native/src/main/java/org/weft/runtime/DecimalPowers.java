package org.weft.runtime;

import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;
import org.weft.text.PowersOfFive;

/**
 * 5^-342 to 5^308 as 128-bit numbers with the top bit set, which the text parser rounds doubles by
 * (D. Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51, 2021).
 * Computed once and kept for the life of the process.
 */
final class DecimalPowers {
  static final int LEAST = -342;
  static final int GREATEST = 308;

  /** Negative powers from here on are rounded up; smaller ones are cut off. */
  private static final int SHALLOW = -27;

  /** Where the first power's upper 64 bits stand, then its lower ones, then the next power's. */
  static final long ADDRESS =
      MemorySource.system().allocate((GREATEST - LEAST + 1) * 2L * Long.BYTES);

  static {
    PowersOfFive.forEach(LEAST, GREATEST, DecimalPowers::put);
  }

  private DecimalPowers() {}

  private static void put(int exponent, long upper, long lower) {
    int up = exponent >= SHALLOW && exponent < 0 ? 1 : 0;
    long at = ADDRESS + (exponent - LEAST) * 2L * Long.BYTES;
    NativeMemory.putLong(at, lower + up == 0 && up == 1 ? upper + 1 : upper);
    NativeMemory.putLong(at + Long.BYTES, lower + up);
  }
}
