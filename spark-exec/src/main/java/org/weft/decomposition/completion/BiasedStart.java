package org.weft.decomposition.completion;

import java.util.Arrays;
import org.weft.decomposition.rows.RowRule;

/**
 * Factors that a completion starts from: columns around 0, then with biases a column for each mode,
 * which is 0 in the factor of that mode and 1 in the others, and one for the mean.
 *
 * @param width of the numbers, whose products have about the variance of the entries
 * @param mean of the entries; 0 without biases
 */
record BiasedStart(int rank, int columns, double width, double mean) {
  /**
   * One for entries of a mean and a mean square.
   *
   * @param scale root of the mean square
   */
  static BiasedStart of(int rank, int columns, int order, double mean, double scale) {
    double variance = Math.max(0, scale * scale - mean * mean);
    double width = 2 * Math.sqrt(3) * Math.pow(variance / rank, 1.0 / (2 * order));
    return new BiasedStart(rank, columns, width, mean);
  }

  /** The variance of the numbers in columns that are not those of biases. */
  double variance() {
    return width * width / 12;
  }

  /** Makes a row of a mode's factor from numbers in [0, 1). */
  RowRule row(int mode) {
    double[] fixed = new double[columns];
    Arrays.setAll(fixed, c -> c == rank + mode ? 0 : 1);
    fixed[columns - 1] *= columns > rank && mode == 0 ? mean : 1;
    int count = rank; // what travels is numbers
    double factor = width;
    return (rows, sums) ->
        Arrays.setAll(rows[0], c -> c < count ? factor * (rows[0][c] - 0.5) : fixed[c]);
  }
}
