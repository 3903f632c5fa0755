package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Every coordinate of the mode, stored implicitly; position {@code p * N + i} holds coordinate
 * {@code i} under parent {@code p}.
 *
 * <pre>
 * size  4          parent 0: positions 0 1 2 3
 *                  parent 1: positions 4 5 6 7
 * </pre>
 */
@AutoService(LevelFormat.class)
public final class DenseLevel implements LevelFormat {
  private static final LevelProperties PROPERTIES =
      new LevelProperties(true, true, true, false, true);

  @Override
  public String symbol() {
    return "D";
  }

  @Override
  public String description() {
    return "dense";
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
    return false;
  }

  @Override
  public void pack(LevelPacking packing) {
    long size = packing.modeSize();
    packing.expectChildren(packing.parents(), size);
    for (int p = 0; p < packing.parents(); p++) {
      int entry = packing.start(p);
      int end = packing.end(p);
      for (long i = 0; i < size; i++) {
        int first = entry;
        while (entry < end && packing.coordinate(entry) == i) {
          entry++;
        }
        packing.child(first, entry);
      }
    }
  }

  @Override
  public Optional<NativeLevel> nativeLevel() {
    return Optional.of(NativeLevel.DENSE);
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
  public long coordinate(LevelView level, long parent, long position) {
    return position - parent * level.modeSize();
  }
}
