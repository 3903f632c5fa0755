package org.weft.planner;

/** Whether a decomposition makes MTTKRPs of products that several modes share. */
public enum DimensionTree {
  /** If that is predicted to take clearly less time, and fits the memory. */
  AUTO,
  /** If any products fit the memory. */
  ON,
  /** Never: each MTTKRP reads all entries. */
  OFF
}
