package org.weft.jobs.spy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Coordinates, from 1, to be named along an axis: the first, the last, and round ones between. */
final class Ticks {
  private Ticks() {}

  /**
   * Chooses.
   *
   * @param size of the mode
   * @param most how many there is room for, at least 1
   */
  static List<Long> of(long size, int most) {
    List<Long> ticks = new ArrayList<>();
    if (size < 1) {
      return ticks;
    }
    ticks.add(1L);
    if (size == 1 || most < 2) {
      return ticks;
    }
    long step = step(size, most);
    long first = step > 2 ? step : 1 + step; // 1, 3, 5 is even, and so is 1, 5, 10 to the eye
    for (long at = first; at > 0 && at <= size - (step + 1) / 2; at += step) {
      ticks.add(at);
    }
    ticks.add(size);
    return ticks;
  }

  /** The least of 1, 2, 5, 10, 20, ... of which {@code size} has no more than there is room for. */
  private static long step(long size, int most) {
    long step = 1;
    for (int n = 0; size / step > Math.max(1, most - 2); n++) {
      if (step > Long.MAX_VALUE / 5) {
        return size;
      }
      step = n % 3 == 1 ? step / 2 * 5 : step * 2;
      if (step > size / 2) {
        return size;
      }
    }
    return step;
  }

  /** As short as it is exact: {@code 250k}, {@code 1.2M}, {@code 3M}, {@code 12,345}. */
  static String label(long coordinate) {
    if (coordinate >= 1_000_000 && coordinate % 100_000 == 0) {
      int digits = coordinate % 1_000_000 == 0 ? 0 : 1;
      return String.format(Locale.ROOT, "%,." + digits + "fM", coordinate / 1e6);
    }
    if (coordinate >= 10_000 && coordinate % 1000 == 0) {
      return String.format(Locale.ROOT, "%,dk", coordinate / 1000);
    }
    return String.format(Locale.ROOT, "%,d", coordinate);
  }
}
