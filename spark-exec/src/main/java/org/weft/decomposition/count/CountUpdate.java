package org.weft.decomposition.count;

/** How {@link CpApr} changes the factor of a mode while the conditions do not hold. */
interface CountUpdate {
  /**
   * One update, from the Phi of the model as it is.
   *
   * @param sweep counts from 1
   * @param number of the update in the sweep, counts from 0
   * @return sums of the columns of the new B
   */
  double[] update(int mode, int sweep, int number);
}
