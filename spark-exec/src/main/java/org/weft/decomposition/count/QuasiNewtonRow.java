package org.weft.decomposition.count;

import java.util.Arrays;
import org.weft.decomposition.rows.RowRule;

/**
 * The direction of a row by limited-memory BFGS (Hansen, Plantenga and Kolda 2015, algorithm 4;
 * Nocedal and Wright 2006, algorithm 7.4): of D, of the trial T, of the row's state, of what the
 * row remembers, of the factor A, and of Phi. Only the free numbers of the pairs count. The first
 * guess of the inverse is {@code diag(b)}, scaled by the latest pair. Cost: {@code O(R)}.
 *
 * @param tolerance of the conditions: a row that meets them does not go on
 * @param begins whether the row has nothing to remember
 */
record QuasiNewtonRow(double tolerance, boolean begins) implements RowRule {
  private static final int PAIRS = 3;

  /** The number of pairs, the row and the gradient before, and the pairs {@code (s, y)}. */
  static int columns(int rank) {
    return 1 + 2 * rank + 2 * PAIRS * rank;
  }

  @Override
  public void apply(double[][] rows, double[] sums) {
    double[] d = rows[0];
    double[] memory = rows[3];
    PoissonRow row = PoissonRow.of(rows[4], rows[5], tolerance);
    if (begins) {
      Arrays.fill(memory, 0);
    } else {
      remember(row, memory);
    }
    System.arraycopy(row.b(), 0, memory, 1, d.length);
    System.arraycopy(row.gradient(), 0, memory, 1 + d.length, d.length);
    if (row.begin(d, rows[1], rows[2])) {
      if (memory[0] > 0) {
        direction(row, memory, d);
      }
      row.end(d, rows[1], rows[2]);
    }
  }

  /** Puts the latest pair first, if the curvature along it is positive. */
  private static void remember(PoissonRow row, double[] memory) {
    int rank = row.b().length;
    double[] pair = new double[2 * rank];
    double inner = 0;
    double squares = 0;
    for (int r = 0; r < rank; r++) {
      pair[r] = row.b()[r] - memory[1 + r];
      pair[rank + r] = row.gradient()[r] - memory[1 + rank + r];
      inner += pair[r] * pair[rank + r];
      squares += pair[r] * pair[r];
    }
    if (inner > 1e-12 * squares && squares > 0) {
      int first = 1 + 2 * rank;
      System.arraycopy(memory, first, memory, first + 2 * rank, 2 * rank * (PAIRS - 1));
      System.arraycopy(pair, 0, memory, first, 2 * rank);
      memory[0] = Math.min(PAIRS, memory[0] + 1);
    }
  }

  /** {@code -B g} over the free numbers, by two loops over the pairs. */
  private static void direction(PoissonRow row, double[] memory, double[] d) {
    int rank = d.length;
    int[] free = row.free();
    double[] q = row.gradient().clone();
    double[] alphas = new double[(int) memory[0]];
    double tau = Double.NaN;
    for (int pair = 0; pair < alphas.length; pair++) {
      int s = 1 + 2 * rank * (1 + pair);
      int y = s + rank;
      double inner = inner(free, memory, s, memory, y);
      alphas[pair] = inner > 0 ? inner(free, memory, s, q, 0) / inner : 0;
      for (int r : free) {
        q[r] -= alphas[pair] * memory[y + r];
      }
      if (Double.isNaN(tau) && inner > 0) {
        double scaled = 0;
        for (int r : free) {
          scaled += memory[y + r] * memory[y + r] * row.scale(r);
        }
        tau = inner / scaled;
      }
    }
    for (int r : free) {
      q[r] *= row.scale(r) * (Double.isFinite(tau) ? tau : 1);
    }
    for (int pair = alphas.length - 1; pair >= 0; pair--) {
      int s = 1 + 2 * rank * (1 + pair);
      int y = s + rank;
      double inner = inner(free, memory, s, memory, y);
      double beta = inner > 0 ? inner(free, memory, y, q, 0) / inner : 0;
      for (int r : free) {
        q[r] += inner > 0 ? (alphas[pair] - beta) * memory[s + r] : 0;
      }
    }
    for (int r : free) {
      d[r] = -q[r];
    }
  }

  private static double inner(int[] free, double[] one, int from, double[] other, int start) {
    double sum = 0;
    for (int r : free) {
      sum += one[from + r] * other[start + r];
    }
    return sum;
  }
}
