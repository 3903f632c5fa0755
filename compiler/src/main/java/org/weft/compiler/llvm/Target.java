package org.weft.compiler.llvm;

import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * What code is generated for: a named CPU level, so that one kernel serves a mixed cluster.
 *
 * @param cpu {@code x86-64-v2}, {@code x86-64-v3} or {@code x86-64-v4}
 * @param optimisation 0 to 2 as in {@code default<O2>}; 3 is the pipeline made for kernels
 */
public record Target(String cpu, int optimisation) {
  /** Target triple of every kernel. */
  public static final String TRIPLE = "x86_64-unknown-linux-gnu";

  /**
   * What differs from LLVM's idea of the CPU level. Loads one by one were faster in SpMV than
   * gathers, by up to a tenth. {@link org.weft.runtime.CpuFeatures} says why the others are
   * missing.
   */
  static final String FEATURES = "+prefer-no-gather,-lzcnt,-movbe";

  public Target {
    if (!cpu.equals("x86-64-v2") && !cpu.equals("x86-64-v3") && !cpu.equals("x86-64-v4")) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_PLATFORM,
          "expected CPU level x86-64-v2, x86-64-v3 or x86-64-v4, found '"
              + cpu
              + "'; choose the lowest level of the cluster's machines");
    }
    if (optimisation < 0 || optimisation > 3) {
      throw new WeftException(
          ErrorCode.USAGE, "expected an optimisation level from 0 to 3, found " + optimisation);
    }
  }

  /** Whether a float can be moved on a condition, by AVX-512's masks. */
  boolean movesFloats() {
    return cpu.equals("x86-64-v4");
  }

  /** Width of the vector registers that kernels prefer, in bits. */
  public int vectorBits() {
    return bitsOf(cpu);
  }

  /** Width of the vector registers of a CPU level, in bits. */
  public static int bitsOf(String cpu) {
    return switch (cpu) {
      case "x86-64-v4" -> 512;
      case "x86-64-v3" -> 256;
      default -> 128;
    };
  }
}
