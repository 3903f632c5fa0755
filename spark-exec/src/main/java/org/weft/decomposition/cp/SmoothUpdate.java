package org.weft.decomposition.cp;

import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.EigenDecomposition_F64;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.constraint.Smoothing;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.tensor.DenseMatrix;

/**
 * Updates a factor whose slices follow each other and change little: {@code min |X_(n) - A K^T|^2 +
 * w |D A|^2} for second differences D. With {@code V = Q L Q^T} the columns of {@code A Q} are
 * solved for one by one, exactly: {@code (l_r I + w D^T D) x = (M Q)_r}. Rows depend on each other,
 * hence M comes to this process, and A goes back. The weight is relative to the mean of V's
 * diagonal. Cost: {@code O(I R^2)}.
 */
final class SmoothUpdate implements FactorUpdate {
  private final Site site;
  private final RowAlgebra algebra;
  private final double weight;
  private final Rows own;
  private @Nullable Rows solution;

  SmoothUpdate(Site site, RowAlgebra algebra, int mode, double weight) {
    this.site = site;
    this.algebra = algebra;
    this.weight = weight;
    this.own = site.rows(mode, algebra.rank(), algebra.result());
  }

  @Override
  public Step step(Problem problem) {
    int mode = problem.mode();
    Step product = problem.product();
    Rows right = product.rows().getOrDefault("M", own);
    site.run(product.rows("M", right));
    DenseMatrix m = site.collect(right);
    DMatrixRMaj products = new DMatrixRMaj(Math.toIntExact(m.rows()), m.columns());
    for (int i = 0; i < products.numRows; i++) {
      m.copyRow(i, products.data, i * products.numCols);
    }
    CommonOps_DDRM.multCols(products, problem.others());
    DMatrixRMaj solved = solve(problem.v(), products);
    CommonOps_DDRM.divideCols(solved, problem.guess());
    for (int i = 0; i < solved.numRows; i++) {
      m.setRow(i, solved.data, i * solved.numCols);
    }
    if (solution != null) {
      solution.close();
    }
    solution = site.given(mode, m, algebra.result());
    return problem
        .step()
        .rows("A", problem.factors().get(mode))
        .rows("M", right)
        .rows("S", solution)
        .then(algebra.copy("A", "S"));
  }

  private DMatrixRMaj solve(DMatrixRMaj v, DMatrixRMaj products) {
    int rank = v.numRows;
    EigenDecomposition_F64<DMatrixRMaj> eigen = DecompositionFactory_DDRM.eig(rank, true, true);
    if (!eigen.decompose(v.copy())) {
      throw new IllegalStateException("no eigenvalues of a symmetric matrix: " + v);
    }
    DMatrixRMaj solved = new DMatrixRMaj(products.numRows, rank);
    double mean = CommonOps_DDRM.trace(v) / rank;
    double[] column = new double[products.numRows];
    for (int e = 0; e < rank; e++) {
      double value = eigen.getEigenvalue(e).getReal();
      if (!(value > mean * rank * rank * Math.ulp(1.0))) {
        continue; // the solution of smallest norm has nothing along it
      }
      DMatrixRMaj vector = eigen.getEigenVector(e);
      DMatrixRMaj along = DMatrixRMaj.wrap(products.numRows, 1, column);
      CommonOps_DDRM.mult(products, vector, along);
      new Smoothing(column.length, value, weight * mean).solve(column);
      CommonOps_DDRM.multAddTransB(along, vector, solved);
    }
    return solved;
  }
}
