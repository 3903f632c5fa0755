package org.weft.api;

import java.util.List;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.RowSource;
import org.weft.spark.model.CpValue;
import org.weft.storage.model.ModelSummary;

/**
 * A CP decomposition: {@code T(i,j,...) ~ sum_r lambda(r) A(i,r) B(j,r) ...}, columns of factors of
 * 2-norm 1, or of 1-norm 1 in a model of {@code weft cpapr}.
 */
public final class CpModel extends TensorModel {
  CpModel(ModelFactors factors, ModelSummary summary) {
    super(factors, summary);
  }

  /** Number of components R. */
  public int rank() {
    return lambda().length;
  }

  /** Weights of the components: R of them. */
  public double[] lambda() {
    return ((CpValue) value()).lambda().clone();
  }

  /** The rows that a decomposition of another tensor starts from. */
  List<RowSource> rowsFor(Tensor tensor, Cpd cpd) {
    return factors().rowsFor(tensor, cpd);
  }
}
