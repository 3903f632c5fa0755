package org.weft.jobs.bench;

import java.util.Arrays;

/** A cache of units that gives up the one that was not used for longest. */
final class RecentlyUsed {
  private static final int NONE = -1;
  private static final int ABSENT = -2;

  private final int capacity;
  private final int[] older;
  private final int[] newer;
  private int oldest = NONE;
  private int newest = NONE;
  private int held;

  /**
   * @param units that there are, numbered from 0
   * @param capacity units that it holds, at least 1
   */
  RecentlyUsed(int units, long capacity) {
    this.capacity = (int) Math.min(Integer.MAX_VALUE, Math.max(1, capacity));
    this.older = new int[units];
    this.newer = new int[units];
    Arrays.fill(newer, ABSENT);
  }

  /** Uses a unit; true if the cache does not hold it. */
  boolean misses(int unit) {
    if (unit == newest) {
      return false;
    }
    boolean missed = newer[unit] == ABSENT;
    if (!missed) {
      remove(unit);
    } else if (held == capacity) {
      int given = oldest;
      remove(given);
      newer[given] = ABSENT;
    }
    add(unit);
    return missed;
  }

  private void remove(int unit) {
    int before = older[unit];
    int after = newer[unit];
    if (before == NONE) {
      oldest = after;
    } else {
      newer[before] = after;
    }
    if (after == NONE) {
      newest = before;
    } else {
      older[after] = before;
    }
    held--;
  }

  private void add(int unit) {
    older[unit] = newest;
    newer[unit] = NONE;
    if (newest == NONE) {
      oldest = unit;
    } else {
      newer[newest] = unit;
    }
    newest = unit;
    held++;
  }
}
