package org.weft.decomposition.rows;

import java.io.Serializable;

/**
 * What happens to a row of some matrices, whatever the other rows are: a proximal operator, the
 * solution of the row's own normal equations, HALS. Travels to where rows lie. Called by several
 * threads at a time.
 */
@FunctionalInterface
public interface RowRule extends Serializable {
  /**
   * Changes one row of each matrix.
   *
   * @param rows one for each matrix, in the order in which the {@link RowOperation.Each} names them
   * @param sums to add to
   */
  void apply(double[][] rows, double[] sums);
}
