package org.weft.decomposition.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A row's block against a descent that looks at the entries again for each number. */
class DescentRowTest {
  private static final int COLUMNS = 11;
  private static final int BLOCK = 8;

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 3})
  void eachNumberIsTheMinimiserWhileTheOthersAreFixed(int first) {
    Random random = new Random(first);
    double[][] h = new double[20][];
    Arrays.setAll(h, e -> random.doubles(COLUMNS, -1, 1).toArray());
    double[] x = random.doubles(h.length, -1, 1).toArray();
    double[] ridge = random.doubles(COLUMNS, 0, 1).toArray();
    double[] a = random.doubles(COLUMNS, -1, 1).toArray();
    int[] free = IntStream.range(0, COLUMNS).filter(c -> c != 5).toArray();
    double[] gradient = new double[COLUMNS];
    double[] normal = new double[BLOCK * BLOCK];
    for (int e = 0; e < h.length; e++) {
      for (int c = 0; c < COLUMNS; c++) {
        gradient[c] += (x[e] - product(h[e], a)) * h[e][c];
      }
      for (int at = 0; at < normal.length; at++) {
        normal[at] += h[e][first + at / BLOCK] * h[e][first + at % BLOCK];
      }
    }
    double[] expected = a.clone();
    for (int c : free) {
      if (c >= first && c < first + BLOCK) {
        expected[c] = minimiser(h, x, expected, c, ridge[c]);
      }
    }

    double[] block = new double[BLOCK];
    new DescentRow(first, free, ridge)
        .apply(new double[][] {a, block, gradient, normal}, new double[0]);

    assertThat(a).containsExactly(expected, within(1e-12));
    assertThat(block).isEqualTo(Arrays.copyOfRange(a, first, first + BLOCK));
  }

  private static double minimiser(double[][] h, double[] x, double[] a, int c, double ridge) {
    double above = 0;
    double below = ridge;
    for (int e = 0; e < h.length; e++) {
      above += (x[e] - product(h[e], a) + a[c] * h[e][c]) * h[e][c];
      below += h[e][c] * h[e][c];
    }
    return above / below;
  }

  private static double product(double[] one, double[] other) {
    return IntStream.range(0, one.length).mapToDouble(c -> one[c] * other[c]).sum();
  }

  /** As least squares say of a slice that has no entries. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5})
  void aRowWithoutEntriesIsZero(double ridge) {
    double[] a = {1, 2, 3};
    double[] ridges = {ridge, ridge, ridge};
    new DescentRow(0, new int[] {0, 2}, ridges)
        .apply(new double[][] {a, new double[3], new double[3], new double[9]}, new double[0]);
    assertThat(a).containsExactly(0, 2, 0);
  }
}
