package org.weft.tensor.level;

import com.google.auto.service.AutoService;

/**
 * A position for every coordinate of the mode, and in {@code crd} a mark that says whether the
 * coordinate is stored: 1 or 0. Position {@code p N + i} belongs to coordinate {@code i} under
 * parent {@code p}. Suits fibers that are neither sparse nor full, and results whose structure is
 * not known beforehand.
 *
 * <pre>
 * size 4
 * crd  1 0 0 1       parent 0: coordinates 0 and 3
 *      0 1 0 0       parent 1: coordinate 1
 * </pre>
 */
@AutoService(LevelFormat.class)
public final class BitmapLevel extends TableLevel {
  /** Made by the service loader. */
  public BitmapLevel() {
    super("B", "bitmap", new LevelProperties(false, true, true, false, false), true);
  }

  @Override
  public boolean isSizedByShape() {
    return true;
  }

  @Override
  public long largestCrd(long size, long sizeBelow, LevelProperties properties) {
    return 1;
  }

  @Override
  public boolean isLabelled(LevelView level, long position) {
    return level.crd(position) != 0;
  }
}
