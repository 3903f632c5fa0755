package org.weft.tensor.level;

import org.jspecify.annotations.Nullable;
import org.weft.memory.NativeArray;

/**
 * The stored arrays of one level, as a level format reads them. Borrowed: valid while the storage
 * that owns the arrays is open.
 *
 * @param modeSize size of the mode that the level stores
 * @param positions number of positions of the level
 * @param pos segment bounds, or null when the format has none
 * @param crd coordinates, or null when the format has none
 */
public record LevelView(
    long modeSize, long positions, @Nullable NativeArray pos, @Nullable NativeArray crd) {
  /** Segment bound number {@code i}. */
  public long pos(long i) {
    if (pos == null) {
      throw new IllegalStateException("this level has no pos array");
    }
    return pos.getLong(i);
  }

  /** Coordinate at position {@code p}. */
  public long crd(long p) {
    if (crd == null) {
      throw new IllegalStateException("this level has no crd array");
    }
    return crd.getLong(p);
  }
}
