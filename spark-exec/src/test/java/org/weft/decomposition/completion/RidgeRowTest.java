package org.weft.decomposition.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Rows of least squares are where the gradient of the objective is zero. */
class RidgeRowTest {
  private static final int COLUMNS = 6;
  private static final int[] FREE = {0, 1, 3, 5};

  private final double[] row = {9, 9, 2, 9, -1, 9};
  private final double[] right = new double[COLUMNS];
  private final double[] normal = new double[COLUMNS * COLUMNS];

  /** Adds entries whose columns 1 and 3 may be equal. */
  private void add(int entries, boolean equal) {
    Random random = new Random(4);
    for (int e = 0; e < entries; e++) {
      double[] h = random.doubles(COLUMNS, -1, 1).toArray();
      h[3] = equal ? h[1] : h[3];
      double x = random.nextDouble();
      for (int r = 0; r < COLUMNS; r++) {
        right[r] += x * h[r];
        for (int c = 0; c < COLUMNS; c++) {
          normal[r * COLUMNS + c] += h[r] * h[c];
        }
      }
    }
  }

  private void solve(double ridge) {
    double[] ridges = new double[COLUMNS];
    Arrays.fill(ridges, ridge);
    new RidgeRow(1, 2, FREE, ridges, new RidgeRow.Everywhere(0, new double[0]))
        .apply(new double[][] {row, right.clone(), normal.clone()}, new double[0]);
    assertThat(row[2]).isEqualTo(2);
    assertThat(row[4]).isEqualTo(-1);
    for (int r : FREE) {
      double gradient = right[r] - ridge * row[r];
      for (int c = 0; c < COLUMNS; c++) {
        gradient -= normal[r * COLUMNS + c] * row[c];
      }
      assertThat(gradient).isCloseTo(0, within(1e-9));
    }
  }

  @Test
  void freeColumnsSolveTheEquationsAndTheOthersStay() {
    add(20, false);
    solve(0);
    solve(0.3);
  }

  @Test
  void fewEntriesAndEqualColumnsHaveASolution() {
    add(20, true);
    solve(0);
  }

  @Test
  void aSliceWithoutEntriesIsZero() {
    solve(0);
    assertThat(row).containsExactly(0, 0, 2, 0, -1, 0);
  }

  @Test
  void numbersThatOverflowAreOneError() {
    normal[0] = Double.POSITIVE_INFINITY;
    assertThatThrownBy(() -> solve(1))
        .hasMessageContaining("iteration 2, mode 1: the sum of a slice's normal equations");
  }
}
