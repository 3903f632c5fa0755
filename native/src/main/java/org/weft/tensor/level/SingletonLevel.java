package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import java.util.Optional;
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
public final class SingletonLevel extends BranchlessLevel {
  /** Made by the service loader. */
  public SingletonLevel() {
    super(
        "S",
        "singleton",
        new LevelProperties(false, true, true, true, true),
        true,
        LevelCapability.APPEND);
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
  public long coordinate(LevelView level, long parent, long position) {
    return level.crd(position);
  }
}
