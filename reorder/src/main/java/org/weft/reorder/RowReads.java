package org.weft.reorder;

import org.weft.tensor.CooBlock;

/**
 * How a kernel reads the rows of its operands: once for each run of entries that agree in the
 * levels down to the operand's mode. Counted against a cache that forgets everything whenever it is
 * full, which never has more hits than a cache of the same size that drops the oldest lines only.
 *
 * @param reads row reads of all operands
 * @param readBytes bytes of those
 * @param missedBytes bytes of whole cache lines that were not in the cache
 */
public record RowReads(long reads, long readBytes, long missedBytes) {
  private static final int LINE_BYTES = 64;

  /**
   * Counts. Cost {@code O(order entries)} and, per read, the lines of a row; memory 4 bytes per
   * line of an operand, or per row of a line or more.
   *
   * @param sorted entries in the order in which the kernel visits them
   * @param modeOrder the tensor's mode at each level of the storage, outermost first
   * @param rowBytes by mode of the tensor, bytes of the operand's row; 0 for modes without operand
   * @param sizes mode sizes
   * @param cacheBytes of the cache that all operands share
   */
  public static RowReads of(
      CooBlock sorted, int[] modeOrder, long[] rowBytes, long[] sizes, long cacheBytes) {
    Cache cache = new Cache(cacheBytes);
    int[][] seen = new int[modeOrder.length][];
    for (int mode : modeOrder) {
      long lines = rowBytes[mode] * sizes[mode] / LINE_BYTES + 1;
      long keys = rowBytes[mode] < LINE_BYTES ? lines : sizes[mode];
      seen[mode] = new int[rowBytes[mode] == 0 ? 0 : Math.toIntExact(keys)];
    }
    long reads = 0;
    long readBytes = 0;
    for (int e = 0; e < sorted.size(); e++) {
      boolean same = e > 0;
      for (int mode : modeOrder) {
        same = same && sorted.coordinate(mode, e) == sorted.coordinate(mode, e - 1);
        if (!same && rowBytes[mode] > 0) {
          reads++;
          readBytes += rowBytes[mode];
          cache.read(seen[mode], sorted.coordinate(mode, e), rowBytes[mode]);
        }
      }
    }
    return new RowReads(reads, readBytes, cache.missedBytes);
  }

  /** A mark is the number of the filling during which a line was read last. */
  private static final class Cache {
    private final long capacity;
    private long held;
    private int filling = 1;
    private long missedBytes;

    Cache(long capacity) {
      this.capacity = capacity;
    }

    void read(int[] seen, long row, long rowBytes) {
      long from = row * rowBytes;
      if (rowBytes >= LINE_BYTES) { // rows share at most their border lines
        touch(seen, (int) row, (rowBytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
        return;
      }
      for (long line = from / LINE_BYTES; line <= (from + rowBytes - 1) / LINE_BYTES; line++) {
        touch(seen, (int) line, LINE_BYTES);
      }
    }

    private void touch(int[] seen, int key, long bytes) {
      if (seen[key] == filling) {
        return;
      }
      missedBytes += bytes;
      held += bytes;
      if (held > capacity) {
        filling++;
        held = bytes;
      }
      seen[key] = filling;
    }
  }
}
