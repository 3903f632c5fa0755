package org.weft.api;

import org.weft.spark.model.TuckerValue;
import org.weft.storage.model.ModelSummary;

/**
 * A Tucker decomposition: {@code T(i,j,...) ~ sum G(p,q,...) A(i,p) B(j,q) ...}, columns of factors
 * orthonormal.
 */
public final class TuckerModel extends TensorModel {
  TuckerModel(ModelFactors factors, ModelSummary summary) {
    super(factors, summary);
  }

  /** Columns of each factor: R_n, by mode. */
  public int[] ranks() {
    return ((TuckerValue) value()).ranks().clone();
  }

  /** The core, row-major: {@code R_0 x R_1 x ...}. */
  public double[] core() {
    return ((TuckerValue) value()).core().clone();
  }
}
