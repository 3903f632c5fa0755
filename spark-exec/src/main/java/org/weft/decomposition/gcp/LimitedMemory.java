package org.weft.decomposition.gcp;

import org.weft.decomposition.rows.RowRule;

/**
 * The two loops of limited-memory BFGS without its vectors (Chen, Wang and Zhou 2014): a direction
 * is a weighted sum of the gradient and of the pairs, and the weights follow from the vectors'
 * products. The vectors' order: G, S_1, Y_1, S_2, Y_2, ..., the latest pair first.
 */
final class LimitedMemory {
  static final int PAIRS = 5;

  /** The products of all pairs of vectors. */
  static final RowRule PRODUCTS =
      (rows, sums) -> {
        for (int r = 0; r < rows[0].length; r++) {
          for (int i = 0; i < rows.length; i++) {
            for (int j = 0; j < rows.length; j++) {
              sums[i * rows.length + j] += rows[i][r] * rows[j][r];
            }
          }
        }
      };

  private LimitedMemory() {}

  /** {@code S = alpha S, B = B + S}, of S and B. */
  static RowRule moved(double alpha) {
    return (rows, sums) -> {
      for (int r = 0; r < rows[0].length; r++) {
        rows[1][r] += alpha * rows[0][r];
        rows[0][r] *= alpha;
      }
    };
  }

  /**
   * {@code Y = new - G, G = new}, of Y, G, S, B and the new gradient of the factors; {@code S . Y}
   * and {@code Y . Y}.
   */
  static RowRule turned(Substitution numbers) {
    return (rows, sums) -> {
      for (int r = 0; r < rows[0].length; r++) {
        double slope = numbers.slope(rows[3][r], rows[4][r]);
        rows[0][r] = slope - rows[1][r];
        rows[1][r] = slope;
        sums[0] += rows[2][r] * rows[0][r];
        sums[1] += rows[0][r] * rows[0][r];
      }
    };
  }

  /** Of D and of the vectors: their weighted sum D, and its product with the gradient. */
  @SuppressWarnings("ArrayRecordComponent")
  record Combined(double[] weights) implements RowRule {
    @Override
    public void apply(double[][] rows, double[] sums) {
      for (int r = 0; r < rows[0].length; r++) {
        double direction = 0;
        for (int i = 0; i < weights.length; i++) {
          direction += weights[i] * rows[1 + i][r];
        }
        rows[0][r] = direction;
        sums[0] += direction * rows[1][r];
      }
    }
  }

  /**
   * Weights of the vectors in {@code -H G}.
   *
   * @param products of all pairs of vectors, a square matrix
   */
  static double[] weights(double[] products, int pairs) {
    int vectors = 1 + 2 * pairs;
    double[] q = new double[vectors];
    q[0] = 1;
    double[] alphas = new double[pairs];
    double scale = 1;
    for (int pair = 0; pair < pairs; pair++) {
      int s = 1 + 2 * pair;
      double inner = products[s * vectors + s + 1];
      if (inner > 0) {
        alphas[pair] = product(products, s, q) / inner;
        q[s + 1] -= alphas[pair];
        scale = scale == 1 ? inner / products[(s + 1) * vectors + s + 1] : scale;
      }
    }
    for (int i = 0; i < vectors; i++) {
      q[i] *= scale;
    }
    for (int pair = pairs - 1; pair >= 0; pair--) {
      int s = 1 + 2 * pair;
      double inner = products[s * vectors + s + 1];
      if (inner > 0) {
        q[s] += alphas[pair] - product(products, s + 1, q) / inner;
      }
    }
    for (int i = 0; i < vectors; i++) {
      q[i] = -q[i];
    }
    return q;
  }

  /** Of a vector with a weighted sum of all. */
  private static double product(double[] products, int vector, double[] weights) {
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += products[vector * weights.length + i] * weights[i];
    }
    return sum;
  }
}
