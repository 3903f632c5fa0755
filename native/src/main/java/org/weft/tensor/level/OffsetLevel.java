package org.weft.tensor.level;

import com.google.auto.service.AutoService;

/**
 * The column of a diagonal under each of its rows, at the row's own position; the last coordinate
 * of DIA. It has no arrays: the column is the row plus the diagonal's offset, which the range level
 * above stores.
 *
 * <pre>
 * row 3 of the diagonal with offset -1: column 2
 * </pre>
 */
@AutoService(LevelFormat.class)
public final class OffsetLevel extends BranchlessLevel {
  /** Made by the service loader. */
  public OffsetLevel() {
    super("O", "offset", new LevelProperties(false, true, true, true, false), false);
  }

  @Override
  public void pack(LevelPacking packing) {
    packing.expectChildren(packing.parents());
    for (int p = 0; p < packing.parents(); p++) {
      packing.child(packing.start(p), packing.end(p));
    }
  }

  @Override
  public long coordinate(LevelView level, long parent, long position) {
    LevelView range = level.requireAbove();
    long rows = range.modeSize();
    return position % rows + range.crd(position / rows) - (rows - 1);
  }
}
