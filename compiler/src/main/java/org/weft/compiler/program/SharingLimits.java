package org.weft.compiler.program;

import org.weft.memory.MachineMemory;

/**
 * Which products of a program are worth sharing.
 *
 * @param leastSaving multiplications that sharing a product must save
 * @param mostBytes of shared products at once; 0 shares nothing
 */
record SharingLimits(double leastSaving, double mostBytes) {
  /** A kernel more takes tens of milliseconds to compile. */
  private static final double LEAST_SAVING = 1e7;

  private static final double MEMORY_SHARE = 0.25;

  static final SharingLimits NONE = new SharingLimits(0, 0);

  static SharingLimits ofThisMachine() {
    return new SharingLimits(LEAST_SAVING, MEMORY_SHARE * MachineMemory.totalBytes());
  }

  boolean shares() {
    return mostBytes > 0;
  }
}
