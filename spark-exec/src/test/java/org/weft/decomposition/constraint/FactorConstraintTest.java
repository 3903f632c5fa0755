package org.weft.decomposition.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Proximity operators beside what defines them. */
class FactorConstraintTest {
  private static double objective(double[] z, double[] row, double charge) {
    double sum = 0;
    for (int r = 0; r < row.length; r++) {
      sum += charge * Math.abs(z[r]) + (z[r] - row[r]) * (z[r] - row[r]) / 2;
    }
    return sum;
  }

  private static boolean allowed(FactorConstraint.Kind kind, double[] z) {
    boolean negative = Arrays.stream(z).anyMatch(v -> v < 0);
    return switch (kind) {
      case NONNEG, NONNEG_L1 -> !negative;
      case SIMPLEX -> !negative && Math.abs(Arrays.stream(z).sum() - 1) < 1e-9;
      default -> true;
    };
  }

  /** No allowed row nearby, or anywhere, is better. */
  @ParameterizedTest
  @ValueSource(strings = {"nonneg", "simplex", "l1:0.5", "nonneg-l1:0.5"})
  void theNearestRowIsTheBestOfMany(String text) {
    FactorConstraint constraint = FactorConstraint.parse(text);
    double charge = constraint.isSet() ? 0 : 0.3;
    Random random = new Random(5);
    for (int trial = 0; trial < 200; trial++) {
      double[] row = random.doubles(4, -1, 2).toArray();
      double[] nearest = row.clone();
      NearestRow.of(constraint, nearest, charge);
      assertThat(allowed(constraint.kind(), nearest)).isTrue();
      double best = objective(nearest, row, charge);
      for (int other = 0; other < 200; other++) {
        double width = other % 2 == 0 ? 0.01 : 2;
        double[] z = nearest.clone();
        Arrays.setAll(z, r -> z[r] + width * (random.nextDouble() - 0.5));
        if (constraint.kind() == FactorConstraint.Kind.SIMPLEX) {
          Arrays.setAll(z, r -> Math.max(0, z[r]));
          double sum = Arrays.stream(z).sum();
          Arrays.setAll(z, r -> z[r] / sum);
        }
        if (allowed(constraint.kind(), z)) {
          assertThat(objective(z, row, charge)).isGreaterThanOrEqualTo(best - 1e-12);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 3, 2", "2, 1, 5", "3, 0.1, 7", "12, 1e-3, 4", "40, 2, 0"})
  void smoothColumnsSolveTheirSystem(int n, double diagonal, double weight) {
    DMatrixRMaj differences = new DMatrixRMaj(Math.max(0, n - 2), n);
    for (int i = 0; i < n - 2; i++) {
      differences.set(i, i, 1);
      differences.set(i, i + 1, -2);
      differences.set(i, i + 2, 1);
    }
    DMatrixRMaj matrix = new DMatrixRMaj(n, n);
    CommonOps_DDRM.multTransA(weight, differences, differences, matrix);
    for (int i = 0; i < n; i++) {
      matrix.add(i, i, diagonal);
    }
    double[] b = new Random(n).doubles(n, -1, 1).toArray();
    double[] x = b.clone();
    new Smoothing(n, diagonal, weight).solve(x);
    DMatrixRMaj product = new DMatrixRMaj(n, 1);
    CommonOps_DDRM.mult(matrix, DMatrixRMaj.wrap(n, 1, x), product);
    assertThat(product.data).containsExactly(b, within(1e-11));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "plain | one of nonneg, simplex, l1:W, nonneg-l1:W, smooth:W, found 'plain'",
        "nonneg:2 | expected 'nonneg' alone, found 'nonneg:2'",
        "smooth | expected smooth:W with a weight W, found 'smooth'",
        "l1:-1 | expected a weight above 0, found 'l1:-1'",
        "l1:much | expected a weight above 0, found 'l1:much'",
        "nonneg-l1:Infinity | expected a weight above 0",
      })
  void whatCannotBeReadIsOneError(String text, String message) {
    assertThatThrownBy(() -> FactorConstraint.parse(text))
        .hasMessageContaining(message)
        .hasMessageStartingWith("a constraint: expected");
  }

  @Test
  void constraintsPrintAsTheyAreRead() {
    for (String text :
        new String[] {"nonneg", "simplex", "l1:0.5", "nonneg-l1:2.0", "smooth:0.1"}) {
      assertThat(FactorConstraint.parse(text)).hasToString(text);
    }
  }
}
