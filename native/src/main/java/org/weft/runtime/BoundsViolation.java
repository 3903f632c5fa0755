package org.weft.runtime;

import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * What a checked kernel found out of range, as it reports it in one word: tensor (8 bits), array (2
 * bits), level (6 bits), position (48 bits, the largest for all positions past it).
 *
 * @param tensor position in the signature; {@link #WORKSPACE} for memory of the kernel's own
 * @param position the position that no element has, or that holds a wrong coordinate
 */
public record BoundsViolation(int tensor, Array array, int level, long position) {
  /** Tensor number of memory that the kernel allocated for itself. */
  public static final int WORKSPACE = 255;

  private static final int MOST_LEVELS = 63;
  private static final int POSITION_BITS = 48;

  /** The largest position that is reported as it is. */
  public static final long LARGEST_POSITION = (1L << POSITION_BITS) - 1;

  /** Which array of the level, and what was wrong. */
  public enum Array {
    POS,
    CRD,
    VALS,
    /** The position is in the {@code crd} array, but its coordinate is not below the size. */
    COORDINATE
  }

  /** The word without the position, which is its lowest bits. */
  public static long site(int tensor, Array array, int level) {
    long where = Math.min(tensor, WORKSPACE) << 2 | array.ordinal();
    return (where << 6 | Math.min(level, MOST_LEVELS)) << POSITION_BITS;
  }

  static BoundsViolation of(long detail) {
    int where = (int) (detail >>> POSITION_BITS);
    return new BoundsViolation(
        where >>> 8,
        Array.values()[where >>> 6 & 3],
        where & MOST_LEVELS,
        detail & LARGEST_POSITION);
  }

  WeftException exception(KernelSignature signature) {
    String kernel = "checked kernel '" + signature.symbol() + "' stopped: ";
    if (tensor >= signature.tensors().size()) {
      return new WeftException(
          ErrorCode.KERNEL_FAILURE,
          kernel
              + where()
              + " is outside a workspace; this is a bug in code generation, report the kernel");
    }
    TensorParameter parameter = signature.tensors().get(tensor);
    boolean input = parameter.role() == TensorParameter.Role.INPUT;
    String name = "tensor " + parameter.name() + " (" + parameter.format() + ")";
    String text =
        switch (array) {
          case POS -> where() + " is outside the pos array of level " + level + " of " + name;
          case CRD -> where() + " is outside the crd array of level " + level + " of " + name;
          case VALS -> where() + " is outside the values, below level " + level + ", of " + name;
          case COORDINATE ->
              "the coordinate at "
                  + where()
                  + " of level "
                  + level
                  + " of "
                  + name
                  + " is not below the level's size";
        };
    String advice =
        input
            ? "; its arrays contradict each other or another operand: pack or read it again"
            : "; an operand has a coordinate past the result's size, or this is a bug in code"
                + " generation: check the operands, then report the kernel";
    return new WeftException(
        input ? ErrorCode.CORRUPT_INPUT : ErrorCode.KERNEL_FAILURE, kernel + text + advice);
  }

  private String where() {
    return position == LARGEST_POSITION
        ? "a position below 0 or past 2^48"
        : "position " + position;
  }
}
