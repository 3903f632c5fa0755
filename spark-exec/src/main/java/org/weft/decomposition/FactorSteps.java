package org.weft.decomposition;

import org.weft.tensor.DenseMatrix;

/**
 * The part of a decomposition that grows with the tensor: factors as they are stored, MTTKRPs of
 * them, and the sums over their rows. A backend implements it, in one process or on many; what is R
 * x R stays with {@link FactorUpdates}.
 */
public interface FactorSteps {
  /**
   * Sums over the rows of a stored factor A.
   *
   * @param gram {@code A^T A}, R x R, row-major
   * @param inner {@code sum_i M(i,r) A(i,r)} for each r; empty if it was not asked for
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Sums(double[] gram, double[] inner) {}

  /** {@code A^T A} of the stored factor of {@code mode}: R x R, row-major. */
  double[] gram(int mode);

  /**
   * Computes the MTTKRP of the stored factors of the other modes, and replaces the factor of {@code
   * mode} by the rule applied to its rows.
   *
   * @param sweep counts from 1
   * @param inner whether the inner sums are wanted
   */
  Sums update(int mode, int sweep, RowUpdate rule, boolean inner);

  /** A copy of the stored factor: mode size x R. */
  DenseMatrix factor(int mode);
}
