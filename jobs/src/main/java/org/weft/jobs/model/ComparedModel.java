package org.weft.jobs.model;

import java.util.List;
import org.weft.tensor.DenseMatrix;

/**
 * A CP model: weights and factors, and what its rows are called.
 *
 * @param factors mode size x R
 * @param lambda R weights
 * @param labels of each mode's rows; none of a mode without labels
 */
@SuppressWarnings("ArrayRecordComponent")
public record ComparedModel(List<DenseMatrix> factors, double[] lambda, List<List<String>> labels) {
  int rank() {
    return lambda.length;
  }

  int order() {
    return factors.size();
  }
}
