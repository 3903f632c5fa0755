package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import java.util.EnumSet;
import java.util.Set;
import org.weft.memory.NativeArray;

/**
 * One coordinate per stored entry under each parent, repeated where entries share it: the first
 * level of COO.
 *
 * <pre>
 * pos  0 4
 * crd  0 0 2 5       entries 0 and 1 lie in slice 0
 * </pre>
 */
@AutoService(LevelFormat.class)
public final class CompressedNonUniqueLevel implements LevelFormat {
  private static final LevelProperties PROPERTIES =
      new LevelProperties(false, true, false, false, true);

  @Override
  public String symbol() {
    return "CN";
  }

  @Override
  public String description() {
    return "compressed, non-unique";
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
    int entries = packing.start(packing.parents());
    packing.expectChildren(entries);
    NativeArray pos = packing.allocatePos(packing.parents() + 1L, entries);
    NativeArray crd = packing.allocateCrd(entries);
    for (int p = 0; p < packing.parents(); p++) {
      pos.setLong(p + 1L, packing.start(p + 1));
    }
    for (int entry = 0; entry < entries; entry++) {
      packing.child(entry);
      crd.setLong(entry, packing.coordinate(entry));
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
