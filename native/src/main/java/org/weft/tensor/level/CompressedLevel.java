package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import java.util.EnumSet;
import java.util.Set;
import org.weft.memory.NativeArray;

/**
 * The coordinates under each parent, each once, in a segment of {@code crd} bounded by {@code pos}.
 *
 * <pre>
 * pos  0 2 4 7       parent 0: crd[0..2) = 0 1
 * crd  0 1 0 1 0 3 4 parent 1: crd[2..4) = 0 1
 * </pre>
 */
@AutoService(LevelFormat.class)
public final class CompressedLevel implements LevelFormat {
  private static final LevelProperties PROPERTIES =
      new LevelProperties(false, true, true, false, true);

  @Override
  public String symbol() {
    return "CU";
  }

  @Override
  public String description() {
    return "compressed";
  }

  @Override
  public Set<LevelCapability> capabilities() {
    return EnumSet.of(LevelCapability.POSITION_ITERATION, LevelCapability.APPEND);
  }

  @Override
  public LevelProperties properties() {
    return PROPERTIES;
  }

  @Override
  public boolean hasPos() {
    return true;
  }

  @Override
  public boolean hasCrd() {
    return true;
  }

  @Override
  public void pack(LevelPacking packing) {
    long count = 0;
    for (int p = 0; p < packing.parents(); p++) {
      int end = packing.start(p + 1);
      long previous = -1;
      for (int entry = packing.start(p); entry < end; entry++) {
        long coordinate = packing.coordinate(entry);
        if (coordinate != previous) {
          count++;
          previous = coordinate;
        }
      }
    }
    packing.expectChildren(count);
    NativeArray pos = packing.allocatePos(packing.parents() + 1L, count);
    NativeArray crd = packing.allocateCrd(count);
    long next = 0;
    for (int p = 0; p < packing.parents(); p++) {
      int end = packing.start(p + 1);
      long previous = -1;
      for (int entry = packing.start(p); entry < end; entry++) {
        long coordinate = packing.coordinate(entry);
        if (coordinate != previous) {
          packing.child(entry);
          crd.setLong(next++, coordinate);
          previous = coordinate;
        }
      }
      pos.setLong(p + 1L, next);
    }
  }

  @Override
  public long firstChild(LevelView level, long parent) {
    return level.pos(parent);
  }

  @Override
  public long endChild(LevelView level, long parent) {
    return level.pos(parent + 1);
  }

  @Override
  public long coordinate(LevelView level, long parent, long position) {
    return level.crd(position);
  }
}
