package org.weft.planner.kernel;

/** How the partitions' results become the result of the job. */
public enum Merge {
  /**
   * Each partition makes the dense rows {@code [from, to)} of its range, in local rows from 0;
   * ranges are laid one after the other, pieces of a split range are added first.
   */
  ROWS,
  /**
   * Each partition makes sparse entries in global coordinates, sorted; ranges follow one another in
   * coordinate order, pieces of a split range are merged and equal coordinates added.
   */
  ENTRIES,
  /**
   * Each partition makes the whole dense result, or scalar; all are added in partition order. It
   * reads the rows {@code [from, to)} of the operand of the partitioned mode.
   */
  SUM
}
