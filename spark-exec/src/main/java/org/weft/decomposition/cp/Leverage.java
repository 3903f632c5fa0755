package org.weft.decomposition.cp;

import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.EigenDecomposition_F64;
import org.weft.decomposition.rows.NormalEquations;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/**
 * Leverage scores of the rows of a factor A: {@code l_i = a_i (A^T A)^-1 a_i^T}, which say how much
 * a row determines a least-squares problem with the matrix A. They are in [0, 1], and their sum is
 * the rank of A. The score of a row of a Khatri-Rao product is at most the product of the scores of
 * the factors' rows (Larsen and Kolda 2022, lemma 4.1).
 */
public final class Leverage {
  private static final RowRule SQUARES =
      (rows, sums) -> {
        double score = 0;
        for (double number : rows[1]) {
          score += number * number;
        }
        rows[0][0] = score;
      };

  private Leverage() {}

  /**
   * The scores of the rows: mode size x 1. Cost {@code O(I R^2)}. Memory of this process: 8 bytes
   * for each row.
   *
   * @param factor is replaced by a matrix with the same range and orthonormal columns
   */
  public static DenseMatrix scores(Site site, Rows factor, RowAlgebra algebra) {
    int mode = factor.mode();
    int rank = factor.columns();
    Step gram = Step.of(mode, "Gram matrix of factor " + mode).rows("A", factor);
    double[] g = site.run(gram.then(algebra.gram("G", "A", rank))).get("G");
    Rows scores = site.random(mode, 1, ValueType.DOUBLE, 0); // all of them are replaced
    site.run(
        Step.of(mode, "leverage of factor " + mode)
            .rows("A", factor)
            .rows("L", scores)
            .small("W", root(new NormalEquations(DMatrixRMaj.wrap(rank, rank, g)).inverse()))
            .then(algebra.product("A", "A", "W"))
            .then(RowOperation.each(SQUARES, "L", "A")));
    return site.collect(scores);
  }

  /** A matrix W with {@code W W^T = m}, which is symmetric and has no negative eigenvalue. */
  private static DMatrixRMaj root(DMatrixRMaj m) {
    DMatrixRMaj root = new DMatrixRMaj(m.numRows, m.numRows);
    EigenDecomposition_F64<DMatrixRMaj> eigen =
        DecompositionFactory_DDRM.eig(m.numRows, true, true);
    if (eigen.decompose(m.copy())) {
      for (int r = 0; r < m.numRows; r++) {
        double scale = Math.sqrt(Math.max(0, eigen.getEigenvalue(r).getReal()));
        DMatrixRMaj vector = eigen.getEigenVector(r);
        CommonOps_DDRM.scale(scale, vector);
        CommonOps_DDRM.insert(vector, root, 0, r);
      }
    }
    return root;
  }
}
