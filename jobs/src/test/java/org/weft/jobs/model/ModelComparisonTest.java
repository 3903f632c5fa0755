package org.weft.jobs.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.tensor.DenseMatrix;

class ModelComparisonTest {
  private static final int RANK = 4;

  /** Factors whose columns have norm 1. */
  private static ComparedModel model(long seed, int... sizes) {
    List<DenseMatrix> factors = new ArrayList<>();
    List<List<String>> labels = new ArrayList<>();
    Random random = new Random(seed);
    for (int size : sizes) {
      double[][] rows = new double[size][RANK];
      for (int r = 0; r < RANK; r++) {
        double norm = 0;
        for (double[] row : rows) {
          row[r] = random.nextGaussian();
          norm += row[r] * row[r];
        }
        for (double[] row : rows) {
          row[r] /= Math.sqrt(norm);
        }
      }
      factors.add(DenseMatrix.of(rows));
      labels.add(List.of());
    }
    return new ComparedModel(factors, new double[] {4, 3, 2, 1}, labels);
  }

  private static ComparedModel shuffled(ComparedModel model, int[] order, boolean flip) {
    List<DenseMatrix> factors = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      DenseMatrix from = model.factors().get(mode);
      DenseMatrix to = DenseMatrix.zeros(from.rows(), RANK);
      for (long row = 0; row < from.rows(); row++) {
        for (int r = 0; r < RANK; r++) {
          to.set(row, r, (flip && mode < 2 ? -1 : 1) * from.get(row, order[r]));
        }
      }
      factors.add(to);
    }
    double[] lambda = new double[RANK];
    for (int r = 0; r < RANK; r++) {
      lambda[r] = model.lambda()[order[r]];
    }
    return new ComparedModel(factors, lambda, model.labels());
  }

  @Test
  void orderAndSignsOfComponentsDoNotCount() {
    ComparedModel model = model(1, 5, 6, 7);
    int[] order = {2, 0, 3, 1};
    ModelComparison same = ModelComparison.of(model, shuffled(model, order, true), 2);
    assertThat(same.drift()).isCloseTo(0, within(1e-12));
    assertThat(same.matches())
        .extracting(ModelComparison.Match::second)
        .containsExactly(1, 3, 0, 2);
    assertThat(same.modes()).allMatch(mode -> mode.drift() < 1e-12);
    assertThat(same.changes()).hasSize(6).allMatch(change -> change.distance() < 1e-12);
  }

  @Test
  void otherComponentsDrift() {
    assertThat(ModelComparison.of(model(1, 50, 60, 70), model(2, 50, 60, 70), 0).drift())
        .isGreaterThan(0.9);
    ComparedModel model = model(1, 5, 6, 7);
    double[] doubled = {8, 6, 4, 2};
    ModelComparison weights =
        ModelComparison.of(model, new ComparedModel(model.factors(), doubled, model.labels()), 0);
    assertThat(weights.drift()).isCloseTo(0.5, within(1e-12));
  }

  @Test
  void rowsMeetByLabelsAndTheOnesThatMovedAreNamed() {
    ComparedModel model = model(3, 3, 4);
    List<List<String>> labels = List.of(List.of("a", "b", "c"), List.of());
    ComparedModel first = new ComparedModel(model.factors(), model.lambda(), labels);
    DenseMatrix grown = DenseMatrix.zeros(4, RANK);
    int[] from = {2, 0, -1, 1};
    for (int row = 0; row < 4; row++) {
      for (int r = 0; r < RANK && from[row] >= 0; r++) {
        grown.set(row, r, model.factors().get(0).get(from[row], r));
      }
    }
    ComparedModel second =
        new ComparedModel(
            List.of(grown, model.factors().get(1)),
            model.lambda(),
            List.of(List.of("c", "a", "new", "b"), List.of()));
    ModelComparison same = ModelComparison.of(first, second, 3);
    assertThat(same.drift()).isCloseTo(0, within(1e-12));
    assertThat(same.modes().get(0)).extracting("onlyFirst", "onlySecond").containsExactly(0L, 1L);
    for (int r = 0; r < RANK; r++) {
      grown.set(3, r, 0);
    }
    ModelComparison moved = ModelComparison.of(first, second, 3);
    assertThat(moved.drift()).isGreaterThan(1e-3);
    assertThat(moved.changes().get(0)).extracting("label", "after").containsExactly("b", 0.0);
  }

  @Test
  void anotherOrderIsRefused() {
    assertThatThrownBy(() -> ModelComparison.of(model(1, 2, 3), model(1, 2, 3, 4), 0))
        .hasMessageContaining("found 2 and 3 modes");
  }

  /** Against all permutations. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void theAssignmentIsTheBest(long seed) {
    Random random = new Random(seed);
    for (int rows = 1; rows <= 5; rows++) {
      for (int columns = 1; columns <= 5; columns++) {
        double[][] value = new double[rows][columns];
        for (double[] row : value) {
          for (int j = 0; j < columns; j++) {
            row[j] = random.nextInt(10);
          }
        }
        int[] found = Assignment.best(value);
        double sum = 0;
        int assigned = 0;
        boolean[] used = new boolean[columns];
        for (int i = 0; i < rows; i++) {
          if (found[i] >= 0) {
            assertThat(used[found[i]]).isFalse();
            used[found[i]] = true;
            sum += value[i][found[i]];
            assigned++;
          }
        }
        assertThat(assigned).isEqualTo(Math.min(rows, columns));
        assertThat(sum).isEqualTo(best(value, 0, new boolean[columns], rows - columns));
      }
    }
  }

  /**
   * The greatest sum from row {@code i} on.
   *
   * @param spare rows that may stay without a column
   */
  private static double best(double[][] value, int i, boolean[] used, int spare) {
    if (i == value.length) {
      return 0;
    }
    double best = spare > 0 ? best(value, i + 1, used, spare - 1) : Double.NEGATIVE_INFINITY;
    for (int j = 0; j < used.length; j++) {
      if (!used[j]) {
        used[j] = true;
        best = Math.max(best, value[i][j] + best(value, i + 1, used, spare));
        used[j] = false;
      }
    }
    return best;
  }
}
