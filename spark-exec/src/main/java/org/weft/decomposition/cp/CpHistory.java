package org.weft.decomposition.cp;

import java.util.Arrays;
import java.util.List;
import org.weft.decomposition.rows.RowSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;

/**
 * What an update of a CP model knows of the entries that made it: the model, and how firmly they
 * hold each of its factors.
 *
 * @param factors mode size x R, columns of norm 1
 * @param lambda weights of the components
 * @param information for each mode n the R x R matrix Q_n, row-major, by which {@code tr((A - A_n)
 *     Q_n (A - A_n)^T)} is what the past loses if the factor, with the weights, becomes A; empty
 *     for a model that was made at once, where Q_n is the Hadamard product of the other modes' Gram
 *     matrices
 */
@SuppressWarnings("ArrayRecordComponent")
public record CpHistory(List<RowSource> factors, double[] lambda, double[][] information) {
  public CpHistory {
    factors = List.copyOf(factors);
  }

  int rank() {
    return lambda.length;
  }

  int order() {
    return factors.size();
  }

  /** What a mode's columns are multiplied by so that all modes share the weights. */
  double[] share(int mode) {
    return Arrays.stream(lambda)
        .map(l -> Math.pow(Math.abs(l), 1.0 / order()) * (mode == 0 && l < 0 ? -1 : 1))
        .toArray();
  }

  /** The product of the other modes' {@link #share}. */
  double[] others(int mode) {
    return Arrays.stream(lambda)
        .map(
            l ->
                Math.pow(Math.pow(Math.abs(l), 1.0 / order()), order() - 1)
                    * (mode != 0 && l < 0 ? -1 : 1))
        .toArray();
  }

  /** Mode sizes of the tensor that made the model. */
  public TensorShape shape() {
    return TensorShape.of(factors.stream().mapToLong(RowSource::rows).toArray());
  }

  /**
   * Checks that the model can become one of a tensor of this shape.
   *
   * @throws WeftException {@code SHAPE_MISMATCH}
   */
  void check(TensorShape grown) {
    boolean fits = grown.order() == order();
    boolean more = false;
    for (int mode = 0; fits && mode < order(); mode++) {
      fits = grown.size(mode) >= shape().size(mode);
      more |= grown.size(mode) > shape().size(mode);
    }
    if (!fits || !more) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "append: expected a tensor that has grown beyond the model's "
              + shape()
              + " in some mode, found "
              + grown);
    }
  }
}
