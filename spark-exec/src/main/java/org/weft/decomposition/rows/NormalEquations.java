package org.weft.decomposition.rows;

import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.dense.row.factory.LinearSolverFactory_DDRM;
import org.ejml.interfaces.decomposition.EigenDecomposition_F64;
import org.ejml.interfaces.linsol.LinearSolverDense;

/**
 * The R x R part of solving {@code A V = M} for the factor {@code A: I x R}, where {@code V} is a
 * Hadamard product of Gram matrices, hence symmetric and positive semidefinite.
 *
 * <p>Normally by Cholesky factorisation. Where V is singular or nearly so (two components coincide,
 * a component vanished, R exceeds what the other modes can span: reciprocal condition below 1e-13)
 * the answer is the least-squares solution of smallest norm, {@code M V^+}, from the
 * eigen-decomposition of V with eigenvalues below {@code R eps lambda_max} taken as zero (Kolda and
 * Bader 2009, section 3.4, write the pseudo-inverse throughout).
 */
public final class NormalEquations {
  private static final double SINGULAR = 1e-13;

  private final DMatrixRMaj inverse;

  public NormalEquations(DMatrixRMaj v) {
    int rank = v.numRows;
    DMatrixRMaj candidate = new DMatrixRMaj(rank, rank);
    LinearSolverDense<DMatrixRMaj> cholesky = LinearSolverFactory_DDRM.chol(rank);
    // EJML's quality of a Cholesky solver is a product over the pivots; the pivots' ratio is what
    // tells singular from small.
    boolean regular = cholesky.setA(v.copy()) && pivotRatio(v) > SINGULAR;
    if (regular) {
      cholesky.invert(candidate);
      regular = isFinite(candidate);
    }
    inverse = regular ? candidate : pseudoInverse(v);
  }

  /** {@code V^-1}, or the pseudo-inverse; not to be written. */
  public DMatrixRMaj inverse() {
    return inverse;
  }

  /** Smallest over largest eigenvalue magnitude; 0 for a zero matrix. */
  private static double pivotRatio(DMatrixRMaj v) {
    EigenDecomposition_F64<DMatrixRMaj> eigen =
        DecompositionFactory_DDRM.eig(v.numRows, false, true);
    if (!eigen.decompose(v.copy())) {
      return 0;
    }
    double smallest = Double.POSITIVE_INFINITY;
    double largest = 0;
    for (int i = 0; i < eigen.getNumberOfEigenvalues(); i++) {
      double value = eigen.getEigenvalue(i).getReal();
      smallest = Math.min(smallest, value);
      largest = Math.max(largest, Math.abs(value));
    }
    return largest == 0 ? 0 : smallest / largest;
  }

  private static DMatrixRMaj pseudoInverse(DMatrixRMaj v) {
    int rank = v.numRows;
    DMatrixRMaj result = new DMatrixRMaj(rank, rank);
    EigenDecomposition_F64<DMatrixRMaj> eigen = DecompositionFactory_DDRM.eig(rank, true, true);
    if (!isFinite(v) || !eigen.decompose(v.copy())) {
      return result;
    }
    double largest = 0;
    for (int i = 0; i < rank; i++) {
      largest = Math.max(largest, eigen.getEigenvalue(i).getReal());
    }
    double cutoff = largest * rank * Math.ulp(1.0);
    for (int i = 0; i < rank; i++) {
      double value = eigen.getEigenvalue(i).getReal();
      if (value > cutoff) {
        DMatrixRMaj vector = eigen.getEigenVector(i);
        CommonOps_DDRM.multAddTransB(1 / value, vector, vector, result);
      }
    }
    return result;
  }

  private static boolean isFinite(DMatrixRMaj matrix) {
    for (double value : matrix.data) {
      if (!Double.isFinite(value)) {
        return false;
      }
    }
    return true;
  }
}
