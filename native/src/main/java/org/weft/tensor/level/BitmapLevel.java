package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import java.util.EnumSet;
import java.util.Set;
import org.weft.memory.NativeArray;

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
public final class BitmapLevel implements LevelFormat {
  private static final LevelProperties PROPERTIES =
      new LevelProperties(false, true, true, false, false);

  @Override
  public String symbol() {
    return "B";
  }

  @Override
  public String description() {
    return "bitmap";
  }

  @Override
  public Set<LevelCapability> capabilities() {
    return EnumSet.of(
        LevelCapability.COORDINATE_ITERATION, LevelCapability.LOCATE, LevelCapability.INSERT);
  }

  @Override
  public LevelProperties properties() {
    return PROPERTIES;
  }

  @Override
  public boolean hasPos() {
    return false;
  }

  @Override
  public boolean hasCrd() {
    return true;
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
  public void pack(LevelPacking packing) {
    long size = packing.modeSize();
    packing.expectChildren(packing.parents(), size);
    NativeArray crd = packing.allocateCrd(packing.parents() * size);
    for (int p = 0; p < packing.parents(); p++) {
      int entry = packing.start(p);
      int end = packing.end(p);
      for (long i = 0; i < size; i++) {
        int first = entry;
        while (entry < end && packing.coordinate(entry) == i) {
          entry++;
        }
        crd.setLong(p * size + i, first < entry ? 1 : 0);
        packing.child(first, entry);
      }
    }
  }

  @Override
  public long firstChild(LevelView level, long parent) {
    return parent * level.modeSize();
  }

  @Override
  public long endChild(LevelView level, long parent) {
    return (parent + 1) * level.modeSize();
  }

  @Override
  public boolean isLabelled(LevelView level, long position) {
    return level.crd(position) != 0;
  }

  @Override
  public long coordinate(LevelView level, long parent, long position) {
    return position - parent * level.modeSize();
  }
}
