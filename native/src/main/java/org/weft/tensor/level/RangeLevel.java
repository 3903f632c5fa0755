package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import org.weft.memory.NativeArray;

/**
 * The rows that a diagonal of an {@code N x M} matrix crosses; the middle level of DIA. Diagonal
 * {@code k} holds the cells {@code (i, i + offset)}, and {@code crd[k]} is {@code offset + N - 1},
 * which is not negative. Row {@code i} is at position {@code k N + i}; rows outside the range have
 * positions that no iteration comes to.
 *
 * <pre>
 * N = 4, M = 6
 * crd       0  2  3  4          offsets -3 -1 0 1
 * diagonal 1 (offset -1): rows max(0, 1) = 1 to min(4, 6 + 1) = 4
 * </pre>
 */
@AutoService(LevelFormat.class)
public final class RangeLevel extends DescribedLevel {
  /** Made by the service loader. */
  public RangeLevel() {
    super(
        "R",
        "range",
        new LevelProperties(false, true, true, false, false),
        false,
        true,
        LevelCapability.COORDINATE_ITERATION);
  }

  @Override
  public long crdLength(long parents, long positions) {
    return parents;
  }

  @Override
  public long largestCrd(long size, long sizeBelow, LevelProperties properties) {
    return size > Long.MAX_VALUE - sizeBelow ? Long.MAX_VALUE : Math.max(0, size + sizeBelow - 2);
  }

  @Override
  public void pack(LevelPacking packing) {
    long rows = packing.modeSize();
    int diagonals = packing.parents();
    packing.expectChildren(diagonals, rows);
    NativeArray crd = packing.allocateCrd(diagonals);
    for (int k = 0; k < diagonals; k++) {
      int end = packing.end(k);
      int first = packing.start(k);
      crd.setLong(k, rows - 1 + packing.coordinateBelow(first) - packing.coordinate(first));
      int next = first;
      for (int entry = first; entry < end; entry = next) {
        while (next < end && packing.coordinate(next) == packing.coordinate(entry)) {
          next++;
        }
        packing.childAt((int) (k * rows + packing.coordinate(entry)), entry, next);
      }
    }
    packing.completeChildren();
  }

  @Override
  public long firstChild(LevelView level, long parent) {
    long rows = level.modeSize();
    return parent * rows + Math.max(0, rows - 1 - level.crd(parent));
  }

  @Override
  public long endChild(LevelView level, long parent) {
    long rows = level.modeSize();
    return parent * rows + Math.min(rows, level.sizeBelow() + (rows - 1 - level.crd(parent)));
  }

  @Override
  public long coordinate(LevelView level, long parent, long position) {
    return position - parent * level.modeSize();
  }
}
