package org.weft.compiler;

/**
 * When a loop over stored coordinates should ask for rows of an operand before it needs them, and
 * how long before: {@link Directive.Prefetch}. Without that, a processor looks ahead as far as the
 * next end of a fiber that it did not foresee.
 */
public final class PrefetchDistance {
  /** The second cache that is taken for granted, in bytes. */
  public static final long CACHE_BYTES = 1 << 20;

  /** Rows of fewer bytes in all come from near caches, which are quick enough. */
  private static final long LEAST_BYTES = 4 << 20;

  /** Loops over fewer coordinates take less time than a sample of them. */
  private static final long FEWEST_COORDINATES = 1 << 18;

  /** Share of the rows that have to be missed for the requests for all to be worth it. */
  private static final double LEAST_MISSES = 0.25;

  /**
   * Ahead for rows of a line: between 32 and 96 an SpMV with 3.4 entries a row and 8 MB of rows
   * took about the same time.
   */
  private static final int COORDINATES = 64;

  /** Lines ahead for longer rows: of 4 to 32 rows of 256 bytes, 8 were best for SpMM and SDDMM. */
  private static final int LINES = 32;

  private static final int FEWEST_ROWS = 8;
  private static final int LINE_BYTES = 64;

  /** What is asked for of a stored fiber: a line of its bounds, coordinates and values each. */
  public static final long FIBER_BYTES = 3 * LINE_BYTES;

  private PrefetchDistance() {}

  /** The number of coordinates ahead for stored fibers that are far. */
  public static int ofFibers() {
    return of(FIBER_BYTES, 1);
  }

  /** Whether so many coordinates are worth finding out about their rows. */
  public static boolean isLong(long coordinates) {
    return coordinates >= FEWEST_COORDINATES;
  }

  /** Whether rows of so many bytes in all are past the caches that are quick enough. */
  public static boolean isFar(double bytes) {
    return bytes >= LEAST_BYTES;
  }

  /**
   * The number of coordinates ahead for rows that are far, 0 where prefetching does not pay.
   *
   * @param rowBytes of each row
   * @param misses share of the rows that are not in the second cache when they are needed
   */
  public static int of(long rowBytes, double misses) {
    if (misses < LEAST_MISSES) {
      return 0;
    }
    long lines = (rowBytes + LINE_BYTES - 1) / LINE_BYTES;
    return lines <= 1 ? COORDINATES : (int) Math.max(FEWEST_ROWS, LINES / lines);
  }
}
