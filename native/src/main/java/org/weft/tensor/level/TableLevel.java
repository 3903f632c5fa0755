package org.weft.tensor.level;

import org.jspecify.annotations.Nullable;
import org.weft.memory.NativeArray;

/**
 * A position for every coordinate of the mode: {@code p N + i} belongs to coordinate {@code i}
 * under parent {@code p}. Where the level has a {@code crd}, it marks the stored coordinates.
 */
abstract class TableLevel extends DescribedLevel {
  TableLevel(String symbol, String description, LevelProperties properties, boolean hasCrd) {
    super(
        symbol,
        description,
        properties,
        false,
        hasCrd,
        LevelCapability.COORDINATE_ITERATION,
        LevelCapability.LOCATE,
        LevelCapability.INSERT);
  }

  @Override
  public final void pack(LevelPacking packing) {
    long size = packing.modeSize();
    packing.expectChildren(packing.parents(), size);
    @Nullable NativeArray crd = hasCrd() ? packing.allocateCrd(packing.parents() * size) : null;
    for (int p = 0; p < packing.parents(); p++) {
      int entry = packing.start(p);
      int end = packing.end(p);
      for (long i = 0; i < size; i++) {
        int first = entry;
        while (entry < end && packing.coordinate(entry) == i) {
          entry++;
        }
        if (crd != null) {
          crd.setLong(p * size + i, first < entry ? 1 : 0);
        }
        packing.child(first, entry);
      }
    }
  }

  @Override
  public final long firstChild(LevelView level, long parent) {
    return parent * level.modeSize();
  }

  @Override
  public final long endChild(LevelView level, long parent) {
    return (parent + 1) * level.modeSize();
  }

  @Override
  public final long coordinate(LevelView level, long parent, long position) {
    return position - parent * level.modeSize();
  }
}
