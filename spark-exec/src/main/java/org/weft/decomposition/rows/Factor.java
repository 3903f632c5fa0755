package org.weft.decomposition.rows;

import java.util.Arrays;

/**
 * Rows that a method ends with, as the user is to get them: columns are multiplied by {@code
 * scale}. Its {@link Site} collects or writes them as long as it has the rows.
 *
 * @param scale one number for each column
 */
@SuppressWarnings("ArrayRecordComponent")
public record Factor(Rows rows, double[] scale) {
  /** The rows as they are. */
  public static Factor of(Rows rows) {
    double[] ones = new double[rows.columns()];
    Arrays.fill(ones, 1);
    return new Factor(rows, ones);
  }
}
