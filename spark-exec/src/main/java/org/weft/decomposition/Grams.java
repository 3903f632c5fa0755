package org.weft.decomposition;

import java.util.Arrays;
import java.util.List;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;

/** The Gram matrices {@code A^T A} of the factors of a CP model: R x R, one for each mode. */
public final class Grams {
  private final DMatrixRMaj[] matrices;

  private Grams(DMatrixRMaj[] matrices) {
    this.matrices = matrices;
  }

  /**
   * Those of factors where they lie. Cost: {@code O(I R^2)} for each mode of size I.
   *
   * @param algebra whose {@link RowAlgebra#gram()} the job has
   */
  public static Grams of(Site site, List<Rows> factors, RowAlgebra algebra) {
    return new Grams(
        factors.stream()
            .map(
                factor -> {
                  Step step =
                      Step.of(factor.mode(), "norms of factor " + factor.mode()).rows("A", factor);
                  int columns = factor.columns();
                  return site.run(step.then(algebra.gram("G", "A", columns))).matrix("G", columns);
                })
            .toArray(DMatrixRMaj[]::new));
  }

  /** Takes that of a new factor. */
  public void set(int mode, DMatrixRMaj gram) {
    matrices[mode] = gram;
  }

  /** The Hadamard product of all but that of mode {@code except}; -1 for all. */
  public DMatrixRMaj hadamard(int except) {
    return hadamard(matrices, except);
  }

  /** The squared norm of the model: the sum of the products of its factors' columns. */
  public double modelSquared() {
    return CommonOps_DDRM.elementSum(hadamard(-1));
  }

  /** The Hadamard product of R x R matrices but that of mode {@code except}; -1 for all. */
  public static DMatrixRMaj hadamard(DMatrixRMaj[] matrices, int except) {
    DMatrixRMaj product = matrices[0].createLike();
    Arrays.fill(product.data, 1);
    for (int mode = 0; mode < matrices.length; mode++) {
      if (mode != except) {
        CommonOps_DDRM.elementMult(product, matrices[mode]);
      }
    }
    return product;
  }
}
