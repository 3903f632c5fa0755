package org.weft.decomposition.completion;

import org.weft.decomposition.rows.RowRule;

/**
 * Coordinate descent through a block of a row's numbers, once. Rows: the row a; its block, which
 * becomes what it is in a; the gradient G of the whole row; and N, the normal matrix of the block.
 *
 * @param first column of the block
 * @param free columns of a that may change
 * @param ridge for each column of a
 */
@SuppressWarnings("ArrayRecordComponent")
record DescentRow(int first, int[] free, double[] ridge) implements RowRule {
  @Override
  public void apply(double[][] rows, double[] sums) {
    double[] a = rows[0];
    double[] gradient = rows[2];
    double[] normal = rows[3];
    int size = rows[1].length;
    for (int c : free) {
      int at = c - first;
      if (at < 0 || at >= size) {
        continue;
      }
      double scale = normal[at * size + at] + ridge[c];
      double change = scale > 0 ? (gradient[c] - ridge[c] * a[c]) / scale : -a[c];
      a[c] += change;
      for (int other = 0; other < size; other++) {
        gradient[first + other] -= change * normal[at * size + other];
      }
    }
    System.arraycopy(a, first, rows[1], 0, size);
  }
}
