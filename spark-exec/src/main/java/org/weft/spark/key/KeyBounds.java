package org.weft.spark.key;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Ranges of the keys of all spaces, each for one task: partitions are the ranges of the first
 * space, in the order of its keys, then those of the second, ...
 */
public final class KeyBounds implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int RANGES_PER_CORE = 2;
  private static final int LEAST_RANGES = 8;

  /** Keys that are worth a task. */
  private static final long KEYS = 1 << 16;

  /** Keys that a task can hold. */
  private static final long MOST_KEYS = 1 << 21;

  /** Bytes of keys that a task can hold. */
  private static final long MOST_BYTES = 1 << 28;

  /** By space, the first keys of its ranges but the first, in order. */
  private final byte[][][] bounds;

  /** By space, the partition of its first range; then the number of partitions. */
  private final int[] firsts;

  private KeyBounds(byte[][][] bounds) {
    this.bounds = bounds;
    this.firsts = new int[bounds.length + 1];
    for (int space = 0; space < bounds.length; space++) {
      firsts[space + 1] = firsts[space] + bounds[space].length + 1;
    }
  }

  /**
   * Ranges with about as many keys each.
   *
   * @param most ranges of a space, unless a task could not hold its keys
   */
  public static KeyBounds of(List<KeySummary> summaries, int spaces, int most) {
    byte[][][] bounds = new byte[spaces][][];
    for (int s = 0; s < spaces; s++) {
      int space = s;
      long keys = summaries.stream().mapToLong(summary -> summary.keys(space)).sum();
      byte[][] sample =
          summaries.stream()
              .flatMap(summary -> summary.samples(space))
              .sorted(Arrays::compareUnsigned)
              .toArray(byte[][]::new);
      long worth = Math.min(most, (keys + KEYS - 1) / KEYS);
      long bytes = summaries.stream().mapToLong(summary -> summary.bytes(space)).sum();
      long least = Math.max((keys + MOST_KEYS - 1) / MOST_KEYS, bytes / MOST_BYTES);
      long ranges = Math.max(1, Math.max(worth, least));
      List<byte[]> chosen = new ArrayList<>();
      for (long range = 1; range < ranges && sample.length > 0; range++) {
        byte[] bound = sample[(int) (range * sample.length / ranges)];
        if (chosen.isEmpty() || !Arrays.equals(chosen.get(chosen.size() - 1), bound)) {
          chosen.add(bound);
        }
      }
      bounds[space] = chosen.toArray(byte[][]::new);
    }
    return new KeyBounds(bounds);
  }

  /** The most tasks for the keys of a space that the cores of {@code context} suggest. */
  public static int usualRanges(JavaSparkContext context) {
    return Math.max(LEAST_RANGES, RANGES_PER_CORE * context.defaultParallelism());
  }

  public int partitions() {
    return firsts[bounds.length];
  }

  /** The space whose keys a partition has. */
  public int space(int partition) {
    int space = 0;
    while (firsts[space + 1] <= partition) {
      space++;
    }
    return space;
  }

  /** The partition of the first range of {@code space}; its others follow. */
  public int first(int space) {
    return firsts[space];
  }

  /** Ranges of {@code space}. */
  public int ranges(int space) {
    return firsts[space + 1] - firsts[space];
  }

  /** The partition of a key of {@code space}. */
  int partition(int space, byte[] key) {
    byte[][] of = bounds[space];
    int low = 0;
    int high = of.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(key, of[middle]) < 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return firsts[space] + low;
  }
}
