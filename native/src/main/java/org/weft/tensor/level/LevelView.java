package org.weft.tensor.level;

import org.jspecify.annotations.Nullable;
import org.weft.memory.NativeArray;
import org.weft.tensor.Width;

/**
 * The stored arrays of one level, as a level format reads them. Borrowed: valid while the storage
 * that owns the arrays is open.
 *
 * @param modeSize number of coordinates of the level
 * @param positions number of positions of the level
 * @param pos segment bounds, or null when the format has none
 * @param crd coordinates, or null when the format has none
 * @param above the level above, or null for the first
 * @param sizeBelow number of coordinates of the level below, or 0
 */
public record LevelView(
    long modeSize,
    long positions,
    @Nullable NativeArray pos,
    @Nullable NativeArray crd,
    @Nullable LevelView above,
    long sizeBelow) {

  /** A level that stands alone. */
  public LevelView(
      long modeSize, long positions, @Nullable NativeArray pos, @Nullable NativeArray crd) {
    this(modeSize, positions, pos, crd, null, 0);
  }

  /** The number in {@code crd} that marks a position without a coordinate. */
  public long unlabelled() {
    return crd == null ? Long.MAX_VALUE : Width.of(crd.type()).maximum();
  }

  /** The level above. */
  public LevelView requireAbove() {
    if (above == null) {
      throw new IllegalStateException("this level has none above it");
    }
    return above;
  }

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
