package org.weft.jobs.diagnose;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.weft.tensor.DenseMatrix;

/**
 * The components of a CP model by themselves.
 *
 * @param norms of the components: weight times the columns' norms
 * @param shares squared norms of the tensor's; they add up to more than 1 where components cancel
 * @param pairs of components with their congruence, the product over the modes of the columns'
 *     cosines (Lorenzo-Seva and ten Berge 2006): the largest absolute values first
 */
public record Components(List<Double> norms, List<Double> shares, List<Pair> pairs) {
  /** Of a pair that cancels so far the components mean nothing (Kruskal, Harshman, Lundy 1989). */
  private static final double DEGENERATE = -0.85;

  /** Two components. */
  public record Pair(int first, int second, double congruence) {
    /** For JSON. */
    public Map<String, Object> members() {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("components", List.of(first, second));
      members.put("congruence", congruence);
      return members;
    }
  }

  /**
   * Those of a model.
   *
   * @param norm of the tensor
   */
  public static Components of(List<DenseMatrix> factors, double[] lambda, double norm) {
    int rank = lambda.length;
    double[][] congruence = new double[rank][rank];
    double[] norms = lambda.clone();
    for (double[] row : congruence) {
      Arrays.fill(row, 1);
    }
    for (DenseMatrix factor : factors) {
      double[][] gram = gram(factor);
      for (int r = 0; r < rank; r++) {
        norms[r] *= Math.sqrt(gram[r][r]);
        for (int s = 0; s < rank; s++) {
          double lengths = Math.sqrt(gram[r][r] * gram[s][s]);
          congruence[r][s] *= lengths > 0 ? gram[r][s] / lengths : 0;
        }
      }
    }
    List<Pair> pairs = new ArrayList<>();
    List<Double> all = new ArrayList<>();
    List<Double> shares = new ArrayList<>();
    for (int r = 0; r < rank; r++) {
      all.add(norms[r]);
      shares.add(norm > 0 ? norms[r] * norms[r] / (norm * norm) : 0);
      for (int s = r + 1; s < rank; s++) {
        double sign = Math.signum(lambda[r]) * Math.signum(lambda[s]);
        pairs.add(new Pair(r, s, sign * congruence[r][s]));
      }
    }
    pairs.sort((a, b) -> Double.compare(Math.abs(b.congruence()), Math.abs(a.congruence())));
    return new Components(all, shares, pairs);
  }

  private static double[][] gram(DenseMatrix factor) {
    int rank = factor.columns();
    double[][] gram = new double[rank][rank];
    double[] row = new double[rank];
    for (long i = 0; i < factor.rows(); i++) {
      factor.copyRow(i, row, 0);
      for (int r = 0; r < rank; r++) {
        for (int s = 0; s < rank; s++) {
          gram[r][s] += row[r] * row[s];
        }
      }
    }
    return gram;
  }

  /** Whether two components nearly cancel each other. */
  public boolean isDegenerate() {
    return pairs.stream().anyMatch(pair -> pair.congruence() < DEGENERATE);
  }
}
