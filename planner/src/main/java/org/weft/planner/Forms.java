package org.weft.planner;

/** How many packed forms of its tensor a decomposition keeps. */
public enum Forms {
  /** One, which the passes of all modes read: a pass of another mode than its root scatters. */
  ONE,
  /** One for each mode, rooted at that mode. */
  ALL,
  /** One for each mode, of the tiles of a grid, whose executors share the rows of their layers. */
  GRID,
  /** All if they fit the memory, unless one is predicted to take less time altogether. */
  AUTO
}
