package org.weft.tensor.level;

/** A level with one position under each parent: the parent's own. */
abstract class BranchlessLevel extends DescribedLevel {
  BranchlessLevel(
      String symbol,
      String description,
      LevelProperties properties,
      boolean hasCrd,
      LevelCapability... others) {
    super(
        symbol, description, properties, false, hasCrd, LevelCapability.POSITION_ITERATION, others);
  }

  @Override
  public final long firstChild(LevelView level, long parent) {
    return parent;
  }

  @Override
  public final long endChild(LevelView level, long parent) {
    return parent + 1;
  }
}
