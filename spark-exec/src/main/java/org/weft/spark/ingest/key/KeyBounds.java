package org.weft.spark.ingest.key;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Ranges of the keys of all modes, each for one task: partitions are the ranges of the first mode,
 * in the order of its keys, then those of the second, ...
 */
public final class KeyBounds implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Keys that are worth a task. */
  private static final long KEYS = 1 << 16;

  /** Keys that a task can hold. */
  private static final long MOST_KEYS = 1 << 21;

  /** By mode, the first keys of its ranges but the first, in order. */
  private final byte[][][] bounds;

  /** By mode, the partition of its first range; then the number of partitions. */
  private final int[] firsts;

  private KeyBounds(byte[][][] bounds) {
    this.bounds = bounds;
    this.firsts = new int[bounds.length + 1];
    for (int mode = 0; mode < bounds.length; mode++) {
      firsts[mode + 1] = firsts[mode] + bounds[mode].length + 1;
    }
  }

  /**
   * Ranges with about as many keys each.
   *
   * @param most ranges of a mode, unless a task could not hold its keys
   */
  public static KeyBounds of(List<KeySummary> summaries, int modes, int most) {
    byte[][][] bounds = new byte[modes][][];
    for (int m = 0; m < modes; m++) {
      int mode = m;
      long keys = summaries.stream().mapToLong(summary -> summary.keys()[mode]).sum();
      byte[][] sample =
          summaries.stream()
              .flatMap(summary -> Arrays.stream(summary.samples()[mode]))
              .sorted(Arrays::compareUnsigned)
              .toArray(byte[][]::new);
      long worth = Math.min(most, (keys + KEYS - 1) / KEYS);
      long ranges = Math.max(1, Math.max(worth, (keys + MOST_KEYS - 1) / MOST_KEYS));
      List<byte[]> chosen = new ArrayList<>();
      for (long range = 1; range < ranges && sample.length > 0; range++) {
        byte[] bound = sample[(int) (range * sample.length / ranges)];
        if (chosen.isEmpty() || !Arrays.equals(chosen.get(chosen.size() - 1), bound)) {
          chosen.add(bound);
        }
      }
      bounds[mode] = chosen.toArray(byte[][]::new);
    }
    return new KeyBounds(bounds);
  }

  public int partitions() {
    return firsts[bounds.length];
  }

  /** The mode whose keys a partition has. */
  public int mode(int partition) {
    int mode = 0;
    while (firsts[mode + 1] <= partition) {
      mode++;
    }
    return mode;
  }

  /** The partition of the first range of {@code mode}; its others follow. */
  public int first(int mode) {
    return firsts[mode];
  }

  /** Ranges of {@code mode}. */
  public int ranges(int mode) {
    return firsts[mode + 1] - firsts[mode];
  }

  /** The partition of a key of {@code mode}. */
  int partition(int mode, byte[] key) {
    byte[][] of = bounds[mode];
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
    return firsts[mode] + low;
  }
}
