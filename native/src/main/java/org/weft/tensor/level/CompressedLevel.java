package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import java.util.Optional;
import org.weft.memory.NativeArray;

/**
 * The coordinates under each parent, each once, in a segment of {@code crd} bounded by {@code pos}.
 *
 * <pre>
 * pos  0 2 4 7       parent 0: crd[0..2) = 0 1
 * crd  0 1 0 1 0 3 4 parent 1: crd[2..4) = 0 1
 * </pre>
 *
 * <p>A level that is declared non-unique has one position for every different path through it and
 * the branchless levels below, so that a coordinate repeats where these differ.
 */
@AutoService(LevelFormat.class)
public class CompressedLevel extends DescribedLevel {
  /** Made by the service loader. */
  public CompressedLevel() {
    this("CU", "compressed", new LevelProperties(false, true, true, false, true));
  }

  CompressedLevel(String symbol, String description, LevelProperties properties) {
    super(
        symbol,
        description,
        properties,
        true,
        true,
        LevelCapability.POSITION_ITERATION,
        LevelCapability.APPEND);
  }

  @Override
  public void pack(LevelPacking packing) {
    if (packing.divide()) {
      packing.fillPos(packing.allocatePos(packing.parents() + 1L, packing.children()));
      packing.fillCrd(packing.allocateCrd(packing.children()));
      return;
    }
    long count = 0;
    for (int p = 0; p < packing.parents(); p++) {
      int end = packing.end(p);
      for (int entry = packing.start(p); entry < end; entry = skip(packing, entry, end)) {
        count++;
      }
    }
    packing.expectChildren(count);
    NativeArray pos = packing.allocatePos(packing.parents() + 1L, count);
    NativeArray crd = packing.allocateCrd(count);
    long next = 0;
    for (int p = 0; p < packing.parents(); p++) {
      int end = packing.end(p);
      int entry = packing.start(p);
      while (entry < end) {
        int first = entry;
        entry = skip(packing, first, end);
        packing.child(first, entry);
        crd.setLong(next++, packing.coordinate(first));
      }
      pos.setLong(p + 1L, next);
    }
  }

  /** One past the last entry from {@code first} on that shares its position. */
  private static int skip(LevelPacking packing, int first, int end) {
    boolean unique = packing.properties().unique();
    int next = first + 1;
    while (next < end
        && (unique
            ? packing.coordinate(next) == packing.coordinate(first)
            : packing.samePath(next, first))) {
      next++;
    }
    return next;
  }

  @Override
  public Optional<NativeLevel> nativeLevel() {
    return Optional.of(NativeLevel.COMPRESSED);
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
