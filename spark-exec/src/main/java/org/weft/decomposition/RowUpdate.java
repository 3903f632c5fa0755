package org.weft.decomposition;

import java.io.Serializable;
import org.ejml.data.DMatrixRMaj;
import org.weft.tensor.TensorStorage;

/**
 * How a row of a factor follows from the same row of the MTTKRP M. Rows are independent of each
 * other, so that a rule applies to any range of them. Small: R x R.
 */
@SuppressWarnings("ArrayRecordComponent")
public sealed interface RowUpdate extends Serializable {

  /** One row: {@code factor[at..at+R)} from {@code m}, which has R numbers. */
  void applyToRow(double[] factor, int at, double[] m);

  /**
   * {@code A = M P}.
   *
   * @param product P: R x R, row-major
   */
  record LeastSquares(double[] product) implements RowUpdate {
    @Override
    public void applyToRow(double[] factor, int at, double[] m) {
      int rank = m.length;
      for (int r = 0; r < rank; r++) {
        double sum = 0;
        for (int s = 0; s < rank; s++) {
          sum += m[s] * product[s * rank + r];
        }
        factor[at + r] = sum;
      }
    }
  }

  /**
   * One sweep of HALS over the columns: {@link Hals}.
   *
   * @param weights of the columns of A, multiplied into A first
   * @param others what the columns of M are multiplied by
   * @param v the Hadamard product of the other factors' Gram matrices: R x R, row-major
   */
  record Nonnegative(double[] weights, double[] others, double[] v) implements RowUpdate {
    @Override
    public void applyToRow(double[] factor, int at, double[] m) {
      double[] right = new double[m.length];
      for (int r = 0; r < m.length; r++) {
        right[r] = m[r] * others[r];
      }
      Hals.updateRow(factor, at, weights, right, v);
    }

    /** All rows of {@code factor}, in place. */
    void applyTo(TensorStorage factor, TensorStorage m) {
      Hals.update(this, factor, m);
    }

    static Nonnegative of(double[] weights, double[] others, DMatrixRMaj v) {
      return new Nonnegative(weights, others, v.data.clone());
    }
  }
}
