package org.weft.decomposition.constraint;

import java.util.Arrays;

/** Proximity operators of constraints, as simple as they can be written. */
public final class NearestRow {
  private NearestRow() {}

  /**
   * A row becomes {@code argmin_z charge sum |z| + 1/2 |z - row|^2} over all z that are allowed.
   *
   * @param charge of absolute values, where they are charged
   */
  public static void of(FactorConstraint constraint, double[] row, double charge) {
    switch (constraint.kind()) {
      case NONNEG -> Arrays.setAll(row, r -> Math.max(0, row[r]));
      case NONNEG_L1 -> Arrays.setAll(row, r -> Math.max(0, row[r] - charge));
      case L1 ->
          Arrays.setAll(row, r -> Math.copySign(Math.max(0, Math.abs(row[r]) - charge), row[r]));
      case SIMPLEX -> toSimplex(row);
      case SMOOTH -> throw new IllegalStateException("rows are not smooth one by one");
    }
  }

  /** Held, Wolfe and Crowder (1974): what is above a threshold stays, less the threshold. */
  private static void toSimplex(double[] row) {
    double[] sorted = row.clone();
    Arrays.sort(sorted);
    double sum = 0;
    double threshold = 0;
    for (int above = 1; above <= row.length; above++) {
      double value = sorted[row.length - above];
      sum += value;
      double candidate = (sum - 1) / above;
      if (value <= candidate) {
        break;
      }
      threshold = candidate;
    }
    double least = threshold;
    Arrays.setAll(row, r -> Math.max(0, row[r] - least));
  }
}
