package org.weft.decomposition.cp;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.weft.decomposition.Grams;
import org.weft.decomposition.rows.Site;

/**
 * The small part of a CP model of rank R: vectors of R numbers and matrices of R x R. The rows of
 * the factors lie elsewhere. An update does not divide the columns of a factor by their norms,
 * because this would read and write the factor once more. It keeps scales instead: the factor of a
 * mode is {@code A diag(scale)} for the stored A (I x R). The weights lambda belong to the mode
 * that was updated last.
 */
final class CpWeights {
  private final int order;
  private final int rank;
  private final double[][] scales;
  private final double[][] norms;
  private final DMatrixRMaj[] grams;
  private double[] lambda;

  /**
   * Starts with the weights of a state, or with scales of 1 and weights of the unit: the first
   * factors times these are random numbers in the unit of the tensor.
   *
   * @param norm an estimate of the columns' norms, which takes the place of those of a sweep before
   * @param unit {@link Site#unit}
   */
  CpWeights(int order, int rank, double norm, double unit, Optional<CpState> start) {
    this.order = order;
    this.rank = rank;
    scales = start.map(state -> copy(state.scales())).orElseGet(() -> all(1));
    norms = start.map(state -> copy(state.norms())).orElseGet(() -> all(norm));
    lambda = start.map(state -> state.lambda().clone()).orElseGet(() -> all(unit)[0]);
    grams = new DMatrixRMaj[order];
    Arrays.setAll(grams, mode -> new DMatrixRMaj(rank, rank));
    double[][] known = start.map(CpState::grams).orElse(new double[0][]);
    for (int mode = 0; mode < known.length; mode++) {
      grams[mode].setData(known[mode].clone());
    }
  }

  /** Takes the Gram matrix of a stored factor: R x R, row-major. */
  void gram(int mode, double[] gram) {
    for (int r = 0; r < rank; r++) {
      for (int s = 0; s < rank; s++) {
        grams[mode].set(r, s, gram[r * rank + s] * scales[mode][r] * scales[mode][s]);
      }
    }
  }

  /** Gives all components the same weight, so that the model has this norm. */
  void fill(double norm) {
    Arrays.fill(lambda, 1);
    double model = modelSquared();
    Arrays.fill(lambda, model > 0 ? norm / Math.sqrt(model) : 1);
  }

  /**
   * Takes the Gram matrix of a new factor whose columns contain the weights. The norms of the
   * columns become the weights.
   *
   * @param divisor by which each column was divided when it was stored
   */
  void weighted(int mode, double[] gram, double[] divisor) {
    for (int r = 0; r < rank; r++) {
      double norm = Math.sqrt(gram[r * rank + r]);
      norms[mode][r] = norm * divisor[r];
      scales[mode][r] = norm > 0 ? 1 / norm : 0;
    }
    lambda = norms[mode].clone();
    gram(mode, gram);
  }

  /** Takes the Gram matrix of a new factor whose columns stay as they are. */
  void unweighted(int mode, double[] gram) {
    Arrays.fill(scales[mode], 1);
    gram(mode, gram);
  }

  /** The product of the other modes' scales, for each component. */
  double[] others(int mode) {
    double[] others = ones();
    for (int m = 0; m < order; m++) {
      for (int r = 0; m != mode && r < rank; r++) {
        others[r] *= scales[m][r];
      }
    }
    return others;
  }

  /** The Hadamard product of all Gram matrices but that of mode {@code except}; -1 for all. */
  DMatrixRMaj hadamard(int except) {
    return Grams.hadamard(grams, except);
  }

  /**
   * Estimates the norms of the columns after an update by those of the sweep before: powers of two,
   * by which nothing is rounded.
   */
  double[] guess(int mode) {
    return Arrays.stream(norms[mode])
        .map(norm -> norm > 0 && 1 / norm > 0 && Double.isFinite(norm) ? power(norm) : 1)
        .toArray();
  }

  private static double power(double norm) {
    return Math.scalb(1.0, Math.getExponent(norm));
  }

  /** The squared norm of the model. */
  double modelSquared() {
    DMatrixRMaj all = hadamard(-1);
    double model = 0;
    for (int r = 0; r < rank; r++) {
      for (int s = 0; s < rank; s++) {
        model += lambda[r] * all.get(r, s) * lambda[s];
      }
    }
    return model;
  }

  /**
   * {@code <X, model> = sum_r lambda_r sum_i M(i,r) A(i,r)}.
   *
   * @param sums {@code sum_i M(i,r) A(i,r)} for the stored A of the mode
   * @param others factor of each column of M
   * @param apart whether lambda is still to be multiplied, since {@code others} lack it
   */
  double inner(int mode, double[] sums, double[] others, boolean apart) {
    double all = 0;
    for (int r = 0; r < rank; r++) {
      all += (apart ? lambda[r] : 1) * others[r] * scales[mode][r] * sums[r];
    }
    return all;
  }

  /**
   * {@code 1 - |X - model| / |X|}, computed without the residual.
   *
   * @param normSquared of X
   * @param inner {@code <X, model>}
   */
  double fit(double normSquared, double inner) {
    double model = modelSquared();
    if (normSquared == 0) {
      return model <= Double.MIN_NORMAL ? 1 : 0;
    }
    return 1 - Math.sqrt(Math.max(0, normSquared - 2 * inner + model)) / Math.sqrt(normSquared);
  }

  double[] lambda() {
    return lambda.clone();
  }

  double[] scale(int mode) {
    return scales[mode].clone();
  }

  double[][] scales() {
    return copy(scales);
  }

  double[][] norms() {
    return copy(norms);
  }

  double[][] grams() {
    return Arrays.stream(grams).map(gram -> gram.data.clone()).toArray(double[][]::new);
  }

  double[] ones() {
    double[] ones = new double[rank];
    Arrays.fill(ones, 1);
    return ones;
  }

  private double[][] all(double value) {
    return IntStream.range(0, order)
        .mapToObj(mode -> Arrays.stream(ones()).map(one -> value).toArray())
        .toArray(double[][]::new);
  }

  private static double[][] copy(double[][] rows) {
    return Arrays.stream(rows).map(double[]::clone).toArray(double[][]::new);
  }
}
