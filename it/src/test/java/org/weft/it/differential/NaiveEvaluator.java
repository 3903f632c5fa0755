package org.weft.it.differential;

import java.util.Arrays;

/** The operations as plain loops over entries: O(entries x order x columns), no format, no plan. */
final class NaiveEvaluator {
  private NaiveEvaluator() {}

  /** {@code M(i_mode, r) = sum T(..) prod_{n != mode} F_n(i_n, r)}. */
  static Expected mttkrp(Entries tensor, int mode, double[][][] factors, int rank) {
    Expected result = new Expected(Math.toIntExact(tensor.sizes()[mode]), rank);
    for (int entry = 0; entry < tensor.count(); entry++) {
      int row = Math.toIntExact(tensor.coordinates()[mode][entry]);
      result.begin(row);
      for (int r = 0; r < rank; r++) {
        double term = tensor.values()[entry];
        for (int other = 0; other < tensor.order(); other++) {
          if (other != mode) {
            term *= factors[other][(int) tensor.coordinates()[other][entry]][r];
          }
        }
        result.add(row, r, term);
      }
    }
    return result;
  }

  /** {@code Y(.., r, ..) = sum_k T(.., k, ..) U(k, r)}; a vector is a matrix of one column. */
  static SparseExpected contract(Entries tensor, int mode, double[][] matrix, int columns) {
    KeptModes kept = KeptModes.allBut(tensor, mode);
    long[] keys = kept.distinctKeys(tensor);
    Expected result = new Expected(keys.length, columns);
    for (int entry = 0; entry < tensor.count(); entry++) {
      int position = Arrays.binarySearch(keys, kept.key(tensor, entry));
      double[] row = matrix[(int) tensor.coordinates()[mode][entry]];
      result.begin(position);
      for (int column = 0; column < columns; column++) {
        result.add(position, column, tensor.values()[entry] * row[column]);
      }
    }
    return new SparseExpected(kept, keys, result);
  }

  /** {@code sum T(..)^2}, duplicates summed first. */
  static double normSquared(Entries tensor) {
    KeptModes all = KeptModes.allBut(tensor, -1);
    long[] keys = all.distinctKeys(tensor);
    double[] cells = new double[keys.length];
    for (int entry = 0; entry < tensor.count(); entry++) {
      cells[Arrays.binarySearch(keys, all.key(tensor, entry))] += tensor.values()[entry];
    }
    return Arrays.stream(cells).map(cell -> cell * cell).sum();
  }

  /** Sparse result: sorted keys of the kept coordinates, and what each holds. */
  record SparseExpected(KeptModes kept, long[] keys, Expected values) {}
}
