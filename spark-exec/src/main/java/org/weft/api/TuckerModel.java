package org.weft.api;

import java.util.List;
import org.weft.decomposition.Tucker;
import org.weft.spark.model.TuckerValue;
import org.weft.tensor.DenseMatrix;

/**
 * A Tucker decomposition: {@code T(i,j,...) ~ sum G(p,q,...) A(i,p) B(j,q) ...}, columns of factors
 * orthonormal.
 */
public final class TuckerModel extends TensorModel {
  private final int[] ranks;
  private final Tucker.Model model;

  TuckerModel(
      Weft weft,
      List<String> modes,
      List<Source.ModeLabels> labels,
      List<DenseMatrix> factors,
      Tucker.Model model) {
    super(
        new ModelFactors(
            weft, modes, labels, factors, new TuckerValue(ranks(factors), model.core())));
    this.ranks = ranks(factors);
    this.model = model;
  }

  private static int[] ranks(List<DenseMatrix> factors) {
    return factors.stream().mapToInt(DenseMatrix::columns).toArray();
  }

  /** Columns of each factor: R_n, by mode. */
  public int[] ranks() {
    return ranks.clone();
  }

  /** The core, row-major: {@code R_0 x R_1 x ...}. */
  public double[] core() {
    return model.core().clone();
  }

  /** {@code 1 - |T - model| / |T|}: 1 for a model that equals the tensor. */
  public double fit() {
    List<Double> fits = model.fits();
    return fits.isEmpty() ? 0 : fits.get(fits.size() - 1);
  }

  /** The fit after each iteration. */
  public List<Double> fits() {
    return model.fits();
  }

  /** Whether the fit changed by less than the tolerance in the last iteration. */
  public boolean converged() {
    return model.converged();
  }
}
