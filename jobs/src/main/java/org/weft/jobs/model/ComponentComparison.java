package org.weft.jobs.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.tensor.DenseMatrix;

/**
 * Compares two CP models. Components match by the factor match score (Tomasi and Bro 2006; {@code
 * score} of Tensor Toolbox), assigned so that the sum is greatest:
 *
 * <pre>
 * score(r, s) = (1 - |lambda_r - mu_s| / max(lambda_r, mu_s)) prod_n cos(a_n,r , b_n,s)
 * drift       = 1 - sum of the scores of matched components / max(R, S)
 * </pre>
 *
 * Components that are zero everywhere, as solvers leave those that the data do not need, are none
 * of the R or S. Two of them match with score 1. Drift is 0 for the same components in any order.
 * The drift of a mode is 1 - mean |cos|, weighted by lambda. The biases of each mode and the mean
 * of a completion count as a component each; their score is {@code (b . c) / max(|b|^2, |c|^2)}.
 * Cost: O(rows R S) for each mode.
 */
record ComponentComparison(LabelledModel first, LabelledModel second, List<RowPairs> pairs) {
  ModelComparison of(int count) {
    List<double[][]> cosines = pairs.stream().map(this::cosines).toList();
    boolean[] zero = zeros(first);
    boolean[] otherZero = zeros(second);
    double[][] scores = scores(cosines, zero, otherZero);
    int[] assigned = Assignment.best(scores);
    List<ModelComparison.Match> matches = new ArrayList<>();
    double sum = 0;
    for (int r = 0; r < first.components(); r++) {
      int s = assigned[r];
      List<Double> byMode = new ArrayList<>();
      for (double[][] ofMode : cosines) {
        byMode.add(s < 0 ? 0.0 : ofMode[r][s]);
      }
      double score = s < 0 ? 0 : scores[r][s];
      sum += zero[r] ? 0 : score;
      double weight = first.value().weight(r);
      double other = s < 0 ? 0 : second.value().weight(s);
      matches.add(new ModelComparison.Match(r, s, score, weight, other, byMode));
    }
    int parts = Math.max(others(zero), others(otherZero));
    Optional<ModelComparison.BiasDrift> biases = biases(count);
    if (biases.isPresent()) {
      ModelComparison.BiasDrift found = biases.get();
      double mean = found.mean();
      double other = found.otherMean();
      sum += ModelComparison.likeness(mean * other, mean * mean, other * other);
      sum += found.drifts().stream().mapToDouble(drift -> 1 - drift).sum();
      parts += 1 + found.drifts().size();
    }
    List<ModelComparison.ModeDrift> modes = new ArrayList<>();
    List<ModelComparison.Change> changes = new ArrayList<>();
    for (RowPairs mode : pairs) {
      modes.add(mode.drift(modeDrift(mode.mode(), matches), List.of()));
      changes.addAll(mode.changes(count, (row, pair) -> moved(mode.mode(), matches, row, pair)));
    }
    double drift = parts == 0 ? 0 : Math.max(0, 1 - sum / parts);
    return new ModelComparison(matches, drift, modes, changes, biases);
  }

  private double[][] cosines(RowPairs mode) {
    double[][] products = mode.products();
    double[] ofA = norms(first.factor(mode.mode()));
    double[] ofB = norms(second.factor(mode.mode()));
    double[][] cosines = new double[first.components()][second.components()];
    for (int r = 0; r < cosines.length; r++) {
      for (int s = 0; s < cosines[r].length; s++) {
        double norm = ofA[r] * ofB[s];
        cosines[r][s] = norm == 0 ? 0 : Math.max(-1, Math.min(1, products[r][s] / norm));
      }
    }
    return cosines;
  }

  private static double[] norms(DenseMatrix matrix) {
    double[] norms = new double[matrix.columns()];
    for (long row = 0; row < matrix.rows(); row++) {
      for (int r = 0; r < norms.length; r++) {
        norms[r] += matrix.get(row, r) * matrix.get(row, r);
      }
    }
    for (int r = 0; r < norms.length; r++) {
      norms[r] = Math.sqrt(norms[r]);
    }
    return norms;
  }

  /** Which components have the value 0 at every cell. */
  private static boolean[] zeros(LabelledModel model) {
    boolean[] zeros = new boolean[model.components()];
    for (int r = 0; r < zeros.length; r++) {
      zeros[r] = model.value().weight(r) == 0;
    }
    for (int mode = 0; mode < model.order(); mode++) {
      double[] norms = norms(model.factor(mode));
      for (int r = 0; r < zeros.length; r++) {
        zeros[r] |= norms[r] == 0;
      }
    }
    return zeros;
  }

  private static int others(boolean[] zeros) {
    int others = 0;
    for (boolean zero : zeros) {
      others += zero ? 0 : 1;
    }
    return others;
  }

  private double[][] scores(List<double[][]> cosines, boolean[] zero, boolean[] otherZero) {
    double[][] scores = new double[first.components()][second.components()];
    for (int r = 0; r < scores.length; r++) {
      for (int s = 0; s < scores[r].length; s++) {
        if (zero[r] || otherZero[s]) {
          scores[r][s] = zero[r] == otherZero[s] ? 1 : 0;
          continue;
        }
        double here = Math.abs(first.value().weight(r));
        double there = Math.abs(second.value().weight(s));
        double most = Math.max(here, there);
        double score = 1 - Math.abs(here - there) / most;
        for (double[][] ofMode : cosines) {
          score *= ofMode[r][s];
        }
        scores[r][s] = Math.max(0, score);
      }
    }
    return scores;
  }

  private static double modeDrift(int mode, List<ModelComparison.Match> matches) {
    double sum = 0;
    double weights = 0;
    for (ModelComparison.Match match : matches) {
      sum += Math.abs(match.lambda()) * Math.abs(match.cosines().get(mode));
      weights += Math.abs(match.lambda());
    }
    return weights == 0 ? 0 : 1 - sum / weights;
  }

  private double[] moved(int mode, List<ModelComparison.Match> matches, int row, long pair) {
    double distance = 0;
    double before = 0;
    double after = 0;
    for (ModelComparison.Match match : matches) {
      double here = match.lambda() * first.factor(mode).get(row, match.first());
      double sign = match.cosines().get(mode) < 0 ? -1 : 1;
      boolean met = pair >= 0 && match.second() >= 0;
      double there =
          met ? sign * match.otherLambda() * second.factor(mode).get(pair, match.second()) : 0;
      distance += (here - there) * (here - there);
      before += here * here;
      after += there * there;
    }
    return new double[] {Math.sqrt(distance), Math.sqrt(before), Math.sqrt(after)};
  }

  private Optional<ModelComparison.BiasDrift> biases(int count) {
    if (first.biases().isEmpty() && second.biases().isEmpty()) {
      return Optional.empty();
    }
    List<Double> drifts = new ArrayList<>();
    List<ModelComparison.Change> changes = new ArrayList<>();
    for (RowPairs mode : pairs) {
      drifts.add(1 - biasScore(mode));
      changes.addAll(
          mode.changes(
              count,
              (row, pair) -> {
                double before = first.bias(mode.mode(), row);
                double after = pair < 0 ? 0 : second.bias(mode.mode(), pair);
                return new double[] {Math.abs(after - before), before, after};
              }));
    }
    return Optional.of(
        new ModelComparison.BiasDrift(
            first.biases().map(Biases::mean).orElse(0.0),
            second.biases().map(Biases::mean).orElse(0.0),
            drifts,
            changes));
  }

  private double biasScore(RowPairs mode) {
    double product = 0;
    double square = 0;
    double otherSquare = 0;
    for (int row = 0; row < mode.second().length; row++) {
      double bias = first.bias(mode.mode(), row);
      square += bias * bias;
      if (mode.second()[row] >= 0) {
        product += bias * second.bias(mode.mode(), mode.second()[row]);
      }
    }
    for (long row = 0; row < mode.rows(); row++) {
      double bias = second.bias(mode.mode(), row);
      otherSquare += bias * bias;
    }
    return ModelComparison.likeness(product, square, otherSquare);
  }
}
