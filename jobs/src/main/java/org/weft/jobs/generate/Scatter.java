package org.weft.jobs.generate;

/**
 * A permutation of the coordinates of a mode, so that frequent ones do not lie side by side: {@code
 * place(c) = (c m + a) mod size} with m near the golden section of the size and prime to it.
 */
public final class Scatter {
  private static final double GOLDEN = 0.6180339887498949;

  private final long size;
  private final long factor;
  private final long offset;

  /** A permutation of [0, size); size at most 2^31. */
  public Scatter(long size, long seed) {
    if (size < 1 || size > 1L << 31) {
      throw new IllegalArgumentException("expected a size of 1 to 2^31, found " + size);
    }
    this.size = size;
    long candidate = Math.max(1, (long) (size * GOLDEN)) | 1;
    while (greatestCommonDivisor(candidate, size) != 1) {
      candidate += 2;
    }
    this.factor = candidate;
    this.offset = SkewedTensor.random(seed).nextLong(size);
  }

  public long place(long coordinate) {
    return (coordinate * factor + offset) % size;
  }

  private static long greatestCommonDivisor(long a, long b) {
    return b == 0 ? a : greatestCommonDivisor(b, a % b);
  }
}
