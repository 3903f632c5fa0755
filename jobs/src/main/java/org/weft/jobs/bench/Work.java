package org.weft.jobs.bench;

import java.util.Arrays;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * What a kernel cannot avoid.
 *
 * @param nonzeros stored entries of the sparse operands
 * @param flops floating-point operations; a multiply-add is two
 * @param bytes that must move between memory and a core: sparse operands once, the result once, and
 *     of each dense operand the cache lines that its reads touch: once each, and again for every
 *     read of a line that a second-level cache does not hold, if it keeps the most read lines or
 *     those used last, whichever is less
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
   * stores {@code mode}. In tiles, a cache begins each with none of its rows.
   *
   * @param rowBytes of a row of the operand, rows lie one after the other
   */
  static double gathered(TensorStorage sparse, int mode, long rowBytes) {
    TensorFormat format = sparse.format();
    int level = levelOf(format, mode);
    boolean wide = rowBytes >= LINE;
    long unit = wide ? (rowBytes + LINE - 1) / LINE * LINE : LINE;
    boolean tiled = format.coordinate(level) instanceof LevelCoordinate.Within;
    long tiles = tiled ? sparse.positions(0) : 1;
    long rows = tiled ? format.levelSize(sparse.shape(), level) : sparse.shape().size(mode);
    long units = wide ? rows : (rows * rowBytes + LINE - 1) / LINE;
    if (!sparse.hasCrd(level)) {
      return (double) units * unit;
    }
    double missed = 0;
    for (long tile = 0; tile < tiles; tile++) {
      int[] reads = new int[Math.toIntExact(units)];
      RecentlyUsed cache = new RecentlyUsed(reads.length, CACHE / unit);
      double again = 0;
      long end = tiled ? firstBelow(sparse, tile + 1, level) : sparse.positions(level);
      for (long p = tiled ? firstBelow(sparse, tile, level) : 0; p < end; p++) {
        long row = sparse.crd(level).getLong(p);
        int read = (int) (wide ? row : row * rowBytes / LINE);
        reads[read]++;
        again += cache.misses(read) ? 1 : 0;
      }
      missed += Math.min(again, missed(reads, CACHE / unit));
    }
    return missed * unit;
  }

  /** The level below whose positions the whole coordinate of {@code mode} is known. */
  static int levelOf(TensorFormat format, int mode) {
    int level = format.levelCount() - 1;
    while (format.modeOf(level) != mode) {
      level--;
    }
    return level;
  }

  /** The first position of {@code level} below position {@code root} of the first level. */
  private static long firstBelow(TensorStorage sparse, long root, int level) {
    long position = root;
    for (int below = 1; below <= level; below++) {
      position = sparse.hasPos(below) ? sparse.pos(below).getLong(position) : position;
    }
    return position;
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
