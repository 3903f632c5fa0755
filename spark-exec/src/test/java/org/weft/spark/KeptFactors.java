package org.weft.spark;

import java.util.List;
import java.util.function.Function;
import org.weft.decomposition.rows.Factor;
import org.weft.engine.Engine;
import org.weft.tensor.DenseMatrix;

/** What tests keep of a model: its factors as matrices. */
final class KeptFactors {
  private KeptFactors() {}

  /** Keeps the factors in {@code into}, which has those of the last call alone. */
  static <M> Engine.Keep<M> into(List<DenseMatrix> into, Function<M, List<Factor>> factors) {
    return (model, site) -> {
      into.clear();
      factors.apply(model).forEach(factor -> into.add(site.result(factor)));
    };
  }
}
