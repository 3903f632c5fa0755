package org.weft.ml;

import java.io.Serializable;
import java.util.List;

/**
 * What the iterations of a run gave, in their order.
 *
 * @param trainingErrors of a completion, at the entries that its model is made of
 * @param heldOutErrors of a completion that held entries out
 * @param kept the iteration that the model is of, from 1; 0 without any
 */
record Iterations(
    List<Double> fits, List<Double> trainingErrors, List<Double> heldOutErrors, int kept)
    implements Serializable {
  Iterations {
    fits = List.copyOf(fits);
    trainingErrors = List.copyOf(trainingErrors);
    heldOutErrors = List.copyOf(heldOutErrors);
  }

  /** Of a run that ends with the model of its last iteration. */
  static Iterations of(List<Double> fits) {
    return new Iterations(fits, List.of(), List.of(), fits.size());
  }

  static double[] numbers(List<Double> list) {
    return list.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
