package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import java.util.EnumSet;
import java.util.Set;

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
public final class OffsetLevel implements LevelFormat {
  private static final LevelProperties PROPERTIES =
      new LevelProperties(false, true, true, true, false);

  @Override
  public String symbol() {
    return "O";
  }

  @Override
  public String description() {
    return "offset";
  }

  @Override
  public Set<LevelCapability> capabilities() {
    return EnumSet.of(LevelCapability.POSITION_ITERATION);
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
    packing.expectChildren(packing.parents());
    for (int p = 0; p < packing.parents(); p++) {
      packing.child(packing.start(p), packing.end(p));
    }
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
    LevelView range = level.requireAbove();
    long rows = range.modeSize();
    return position % rows + range.crd(position / rows) - (rows - 1);
  }
}
