package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.NativeArray;

/**
 * Exactly one coordinate under each parent, at the parent's own position: the later levels of COO.
 *
 * <pre>
 * crd  0 1 3 2       parent p has the single child p
 * </pre>
 *
 * <p>A level that is declared not compact, as the columns of ELL, may have parents without a child;
 * the largest number of the width stands in {@code crd} for them.
 */
@AutoService(LevelFormat.class)
public final class SingletonLevel implements LevelFormat {
  private static final LevelProperties PROPERTIES =
      new LevelProperties(false, true, true, true, true);

  @Override
  public String symbol() {
    return "S";
  }

  @Override
  public String description() {
    return "singleton";
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
    return false;
  }

  @Override
  public boolean hasCrd() {
    return true;
  }

  @Override
  public void pack(LevelPacking packing) {
    int parents = packing.parents();
    packing.expectChildren(parents);
    NativeArray crd = packing.allocateCrd(parents);
    for (int p = 0; p < parents; p++) {
      int entry = packing.start(p);
      int end = packing.end(p);
      if (entry == end && !packing.properties().compact()) {
        packing.child(entry, end);
        crd.setLong(p, packing.unlabelled());
        continue;
      }
      if (entry == end || !packing.samePath(entry, end - 1)) {
        throw new WeftException(
            ErrorCode.INVALID_FORMAT,
            "a singleton level needs exactly one stored coordinate under each parent position, but"
                + " position "
                + p
                + " has "
                + (end - entry)
                + " entries; put it below a non-unique level (CN) or use a compressed level (CU)");
      }
      packing.child(entry, end);
      crd.setLong(p, packing.coordinate(entry));
    }
  }

  @Override
  public boolean isLabelled(LevelView level, long position) {
    return level.crd(position) != level.unlabelled();
  }

  @Override
  public Optional<NativeLevel> nativeLevel() {
    return Optional.of(NativeLevel.SINGLETON);
  }

  @Override
  public long firstChild(LevelView level, long parent) {
    return parent;
  }

  @Override
  public long endChild(LevelView level, long parent) {
    return parent + 1;
  }

  @Override
  public long coordinate(LevelView level, long parent, long position) {
    return level.crd(position);
  }
}
