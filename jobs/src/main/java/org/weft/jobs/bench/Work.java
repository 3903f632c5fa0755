package org.weft.jobs.bench;

import java.util.Arrays;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * What a kernel cannot avoid.
 *
 * @param nonzeros stored entries of the sparse operands
 * @param flops floating-point operations; a multiply-add is two
 * @param bytes that must move between memory and a core: sparse operands once, the result once, and
 *     of each dense operand the cache lines that its reads touch: once each, and again for every
 *     read of a line that is not among the most read that a second-level cache holds
 */
public record Work(double nonzeros, double flops, double bytes) {
  Work plus(Work other) {
    return new Work(nonzeros + other.nonzeros, flops + other.flops, bytes + other.bytes);
  }

  private static final int LINE = 64;

  /** Bytes of second-level cache that a core has for operand rows. */
  static final long CACHE = 2 << 20;

  /**
   * Bytes of the operand rows that {@code sparse} reads, one for each position of the level that
   * stores {@code mode}.
   *
   * @param rowBytes of a row of the operand, rows lie one after the other
   */
  static double gathered(TensorStorage sparse, int mode, long rowBytes) {
    TensorFormat format = sparse.format();
    int level = 0;
    while (format.modeOf(level) != mode) {
      level++;
    }
    boolean wide = rowBytes >= LINE;
    long unit = wide ? (rowBytes + LINE - 1) / LINE * LINE : LINE;
    long rows = sparse.shape().size(mode);
    long units = wide ? rows : (rows * rowBytes + LINE - 1) / LINE;
    if (!sparse.hasCrd(level)) {
      return (double) units * unit;
    }
    int[] reads = new int[Math.toIntExact(units)];
    for (long p = 0; p < sparse.positions(level); p++) {
      long row = sparse.crd(level).getLong(p);
      reads[(int) (wide ? row : row * rowBytes / LINE)]++;
    }
    return missed(reads, CACHE / unit) * unit;
  }

  /** Reads that must go to memory if the most read units stay in a cache of {@code capacity}. */
  static double missed(int[] reads, long capacity) {
    Arrays.sort(reads);
    double missed = 0;
    for (int i = 0; i < reads.length; i++) {
      boolean kept = reads.length - i <= capacity;
      missed += kept ? Math.min(1, reads[i]) : reads[i];
    }
    return missed;
  }
}
