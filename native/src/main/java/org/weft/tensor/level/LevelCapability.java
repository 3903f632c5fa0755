package org.weft.tensor.level;

/** Access and assembly capabilities of a level format (Chou et al., sections 3.2 and 3.4). */
public enum LevelCapability {
  /** Iterate over coordinates ({@code coord_iter}, {@code coord_access}). */
  COORDINATE_ITERATION,
  /** Iterate over positions ({@code pos_iter}, {@code pos_access}). */
  POSITION_ITERATION,
  /** Random access to a coordinate ({@code locate}). */
  LOCATE,
  /** Write a coordinate at the position given by locate. */
  INSERT,
  /** Write coordinates in order at the end. */
  APPEND
}
