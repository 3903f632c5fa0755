package org.weft.jobs.report;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.weft.tensor.DenseMatrix;

/**
 * Finds pairs of components of which one equals the other with two modes exchanged. The relations
 * "is a part of" and "has as a part" between the same things make such a pair.
 */
public final class Mirrors {
  private static final double ALIKE = 0.75;

  private Mirrors() {}

  /**
   * A component that mirrors another.
   *
   * @param of number of the other, which is before it in the order
   * @param number its own
   * @param first of the modes that are exchanged
   */
  public record Mirror(int of, int number, int first, int second) {}

  /**
   * Finds pairs. Cost: {@code O(I R^2)} for each pair of modes of the same things.
   *
   * @param order of the components; a component is in one pair only
   * @param things by mode, a text that is the same for modes of the same things
   */
  public static List<Mirror> find(
      List<DenseMatrix> factors, List<Integer> order, List<String> things) {
    List<Mirror> found = new ArrayList<>();
    Set<Integer> paired = new HashSet<>();
    for (int a = 0; a < factors.size(); a++) {
      for (int b = a + 1; b < factors.size(); b++) {
        if (things.get(a).equals(things.get(b))
            && factors.get(a).rows() == factors.get(b).rows()
            && factors.get(a).rows() > 1) {
          pairs(a, b, cosines(factors.get(a), factors.get(b)), order, paired, found);
        }
      }
    }
    return found;
  }

  private static void pairs(
      int a,
      int b,
      double[][] cosines,
      List<Integer> order,
      Set<Integer> paired,
      List<Mirror> found) {
    for (int p = 0; p < order.size(); p++) {
      for (int q = p + 1; q < order.size(); q++) {
        int r = order.get(p);
        int s = order.get(q);
        boolean alike = Math.min(Math.abs(cosines[r][s]), Math.abs(cosines[s][r])) >= ALIKE;
        if (alike && !paired.contains(r) && !paired.contains(s)) {
          paired.add(r);
          paired.add(s);
          found.add(new Mirror(r, s, a, b));
        }
      }
    }
  }

  /** Cosines of each column of one factor with each of another: R x R. */
  private static double[][] cosines(DenseMatrix a, DenseMatrix b) {
    int rank = a.columns();
    double[][] products = new double[rank][rank];
    double[] norms = new double[rank];
    double[] others = new double[rank];
    double[] left = new double[rank];
    double[] right = new double[rank];
    for (long i = 0; i < a.rows(); i++) {
      a.copyRow(i, left, 0);
      b.copyRow(i, right, 0);
      for (int r = 0; r < rank; r++) {
        norms[r] += left[r] * left[r];
        others[r] += right[r] * right[r];
        for (int s = 0; s < rank; s++) {
          products[r][s] += left[r] * right[s];
        }
      }
    }
    for (int r = 0; r < rank; r++) {
      for (int s = 0; s < rank; s++) {
        double both = Math.sqrt(norms[r] * others[s]);
        products[r][s] = both == 0 ? 0 : products[r][s] / both;
      }
    }
    return products;
  }
}
