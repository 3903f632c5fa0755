package org.weft.decomposition;

import java.util.List;
import org.ejml.data.DMatrixRMaj;
import org.weft.tensor.DenseMatrix;

/** The factors of a decomposition, wherever they are, and how one of them is brought up to date. */
public interface FactorUpdates {
  /**
   * What an update found.
   *
   * @param lambda 2-norms of the new factor's columns before they were normalised
   * @param gram {@code A^T A: R x R} of the new factor
   * @param inner {@code <X, model>} if it was asked for
   */
  record Update(double[] lambda, DMatrixRMaj gram, double inner) {}

  /** The Gram matrix of the factor of {@code mode} as it is. */
  DMatrixRMaj gram(int mode);

  /**
   * Replaces the factor of {@code mode} by the solution of its least-squares problem, with columns
   * of 2-norm 1.
   *
   * @param sweep counts from 1
   * @param v the Hadamard product of the other factors' Gram matrices
   * @param last whether {@code <X, model>} is wanted
   */
  Update update(int mode, int sweep, DMatrixRMaj v, boolean last);

  /** The factors, by mode, with columns of 2-norm 1 or 0. */
  List<DenseMatrix> factors();
}
