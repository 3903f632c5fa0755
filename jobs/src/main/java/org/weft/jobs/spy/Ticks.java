package org.weft.jobs.spy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Coordinates, from 1, to be named along an axis: the first, the last, and round ones between. */
final class Ticks {
  /** No axis is as long as that. */
  private static final int MOST = 1000;

  private Ticks() {}

  /** What there is room for. */
  interface Room {
    /** Whether the labels of two coordinates, the second larger, stand beside each other. */
    boolean isBetween(long before, long after);
  }

  /** As many as there is room for; those near the first or the last, which stay, are left out. */
  static List<Long> of(long size, Room room) {
    List<Long> ticks = new ArrayList<>();
    if (size < 1) {
      return ticks;
    }
    ticks.add(1L);
    long step = step(size, room);
    long first = step > 2 ? step : 1 + step; // 1, 3, 5 is even, and so is 1, 5, 10 to the eye
    for (long at = first; at > 0 && at < size; at += step) {
      if (room.isBetween(1, at) && room.isBetween(at, size)) {
        ticks.add(at);
      }
    }
    if (size > 1) {
      ticks.add(size);
    }
    return ticks;
  }

  /** The least of 1, 2, 5, 10, 20, ... with room between any two of its multiples. */
  private static long step(long size, Room room) {
    long step = 1;
    for (int n = 0; !fit(step, size, room); n++) {
      if (step > Long.MAX_VALUE / 5) {
        return size;
      }
      step = n % 3 == 1 ? step / 2 * 5 : step * 2;
    }
    return step;
  }

  private static boolean fit(long step, long size, Room room) {
    long count = size / step;
    for (long n = 2; n <= count && count <= MOST; n++) {
      if (!room.isBetween((n - 1) * step, n * step)) {
        return false;
      }
    }
    return count <= MOST;
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
