package org.weft.jobs.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.spark.model.CpValue;
import org.weft.spark.model.FactorModel;
import org.weft.spark.model.TuckerValue;
import org.weft.storage.Labels;
import org.weft.tensor.DenseMatrix;

/** {@link ModelComparison} of models whose differences are known. */
class ModelComparisonTest {
  private static final int RANK = 4;

  /** Factors whose columns have norm 1. */
  private static LabelledModel model(long seed, int... sizes) {
    List<DenseMatrix> factors = new ArrayList<>();
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
    }
    return model(factors, 4, 3, 2, 1);
  }

  private static LabelledModel model(List<DenseMatrix> factors, double... lambda) {
    return LabelledModel.of(new FactorModel(factors, new CpValue(lambda)));
  }

  private static LabelledModel labelled(LabelledModel model, String... first) {
    List<Labels> labels = new ArrayList<>(model.labels());
    labels.set(0, Labels.of(List.of(first)));
    return new LabelledModel(model.model(), labels, Optional.empty());
  }

  private static LabelledModel shuffled(LabelledModel model, int[] order, boolean flip) {
    List<DenseMatrix> factors = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      DenseMatrix from = model.factor(mode);
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
      lambda[r] = model.value().weight(order[r]);
    }
    return model(factors, lambda);
  }

  @Test
  void orderAndSignsOfComponentsDoNotCount() {
    LabelledModel model = model(1, 5, 6, 7);
    int[] order = {2, 0, 3, 1};
    ModelComparison same = ModelComparison.of(model, shuffled(model, order, true), 2);
    assertThat(same.drift()).isCloseTo(0, within(1e-12));
    assertThat(same.matches())
        .extracting(ModelComparison.Match::second)
        .containsExactly(1, 3, 0, 2);
    assertThat(same.modes()).allMatch(mode -> mode.drift() < 1e-12);
    assertThat(same.changes()).hasSize(6).allMatch(change -> change.distance() < 1e-12);
  }

  /** The model without some of its components: weight and columns are 0, as solvers leave them. */
  private static LabelledModel without(LabelledModel model, int... components) {
    double[] lambda = new double[RANK];
    Arrays.setAll(lambda, model.value()::weight);
    List<DenseMatrix> factors = new ArrayList<>();
    for (DenseMatrix from : model.model().factors()) {
      DenseMatrix to = from.copy();
      for (int r : components) {
        lambda[r] = 0;
        for (long row = 0; row < to.rows(); row++) {
          to.set(row, r, 0);
        }
      }
      factors.add(to);
    }
    return model(factors, lambda);
  }

  /** Whatever a model has none, some or all of. */
  @Test
  void componentsThatAreZeroAreNoDriftAndNoLikeness() {
    LabelledModel model = model(1, 5, 6, 7);
    int[] order = {2, 0, 3, 1};
    for (int[] zero : new int[][] {{}, {3}, {0}, {1, 2}, {0, 1, 2, 3}}) {
      LabelledModel own = without(model, zero);
      ModelComparison same = ModelComparison.of(own, shuffled(own, order, true), 2);
      assertThat(same.drift()).isCloseTo(0, within(1e-12));
      assertThat(same.matches()).allMatch(match -> match.score() > 1 - 1e-12);
      assertThat(same.modes()).allMatch(mode -> mode.drift() < 1e-12);
    }
    LabelledModel one = without(model, 1, 2, 3);
    assertThat(ModelComparison.of(one, without(model, 0, 2, 3), 0).drift()).isGreaterThan(0.5);
    assertThat(ModelComparison.of(one, without(model, 0, 1, 2, 3), 0).drift()).isEqualTo(1);
    assertThat(ModelComparison.of(without(model, 0, 1, 2, 3), one, 0).drift()).isEqualTo(1);
    assertThat(ModelComparison.of(model, one, 0).drift()).isCloseTo(0.75, within(1e-12));
    assertThat(ModelComparison.of(one, narrow(model), 0).drift()).isCloseTo(0, within(1e-12));
    assertThat(ModelComparison.of(narrow(model), one, 0).drift()).isCloseTo(0, within(1e-12));
  }

  /** A model of the first component alone. */
  private static LabelledModel narrow(LabelledModel model) {
    List<DenseMatrix> factors = new ArrayList<>();
    for (DenseMatrix from : model.model().factors()) {
      double[][] column = new double[(int) from.rows()][1];
      Arrays.setAll(column, row -> new double[] {from.get(row, 0)});
      factors.add(DenseMatrix.of(column));
    }
    return model(factors, model.value().weight(0));
  }

  @Test
  void completionsWhoseComponentsAreZeroAreCompared() {
    LabelledModel model = without(model(1, 5, 6), 0);
    double[] scales = {1, 1, 1};
    LabelledModel biased =
        new LabelledModel(model.model(), model.labels(), Optional.of(new Biases(1, 2.5, scales)));
    assertThat(ModelComparison.of(biased, biased, 1).drift()).isCloseTo(0, within(1e-12));
  }

  /** Columns that are 0 span nothing, so they have no angle with anything. */
  @Test
  void columnsOfATuckerModelThatAreZeroAreNoDrift() {
    LabelledModel model = tucker(5, 6, 7, 4);
    for (int columns = 1; columns <= 2; columns++) {
      for (int mode = 0; mode < 3; mode++) {
        List<DenseMatrix> factors = new ArrayList<>(model.model().factors());
        DenseMatrix factor = factors.get(mode).copy();
        for (long row = 0; row < factor.rows(); row++) {
          for (int c = 0; c < columns; c++) {
            factor.set(row, c, 0);
          }
        }
        factors.set(mode, factor);
        LabelledModel own = LabelledModel.of(new FactorModel(factors, model.value()));
        ModelComparison same = ModelComparison.of(own, own, 1);
        assertThat(same.drift()).isCloseTo(0, within(1e-12));
        assertThat(same.modes()).allMatch(one -> Math.abs(one.drift()) < 1e-12);
        assertThat(same.modes().get(mode).angles())
            .hasSize(2 - columns)
            .allMatch(angle -> angle < 1e-5);
        assertThat(ModelComparison.of(own, model, 1).modes().get(mode).drift())
            .isCloseTo(columns / 2.0, within(1e-12));
      }
    }
  }

  @Test
  void otherComponentsDrift() {
    assertThat(ModelComparison.of(model(1, 50, 60, 70), model(2, 50, 60, 70), 0).drift())
        .isGreaterThan(0.9);
    LabelledModel model = model(1, 5, 6, 7);
    double[] doubled = {8, 6, 4, 2};
    ModelComparison weights = ModelComparison.of(model, model(model.model().factors(), doubled), 0);
    assertThat(weights.drift()).isCloseTo(0.5, within(1e-12));
  }

  @Test
  void rowsMeetByLabelsAndTheOnesThatMovedAreNamed() {
    LabelledModel model = model(3, 3, 4);
    LabelledModel first = labelled(model, "a", "b", "c");
    DenseMatrix grown = DenseMatrix.zeros(4, RANK);
    int[] from = {2, 0, -1, 1};
    for (int row = 0; row < 4; row++) {
      for (int r = 0; r < RANK && from[row] >= 0; r++) {
        grown.set(row, r, model.factor(0).get(from[row], r));
      }
    }
    LabelledModel second =
        labelled(model(List.of(grown, model.factor(1)), 4, 3, 2, 1), "c", "a", "new", "b");
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

  /** A Tucker model with orthonormal factors of 2 columns. */
  private static LabelledModel tucker(long seed, int... sizes) {
    Random random = new Random(seed);
    List<DenseMatrix> factors = new ArrayList<>();
    for (int size : sizes) {
      DenseMatrix factor = DenseMatrix.zeros(size, 2);
      double[][] columns = new double[2][size];
      for (int c = 0; c < 2; c++) {
        Arrays.setAll(columns[c], i -> random.nextGaussian());
        double along = c == 0 ? 0 : product(columns[0], columns[1]);
        for (int i = 0; i < size; i++) {
          columns[c][i] -= along * columns[0][i];
        }
        double norm = Math.sqrt(product(columns[c], columns[c]));
        for (int i = 0; i < size; i++) {
          columns[c][i] /= norm;
          factor.set(i, c, columns[c][i]);
        }
      }
      factors.add(factor);
    }
    int[] ranks = new int[sizes.length];
    Arrays.fill(ranks, 2);
    double[] core = new double[1 << sizes.length];
    Arrays.setAll(core, at -> 1 + random.nextDouble());
    return LabelledModel.of(new FactorModel(factors, new TuckerValue(ranks, core)));
  }

  private static double product(double[] a, double[] b) {
    return IntStream.range(0, a.length).mapToDouble(i -> a[i] * b[i]).sum();
  }

  /** The same model with the columns of a mode turned by an angle, which the core undoes. */
  private static LabelledModel turned(LabelledModel model, double degrees) {
    double cos = Math.cos(Math.toRadians(degrees));
    double sin = Math.sin(Math.toRadians(degrees));
    DenseMatrix from = model.factor(0);
    DenseMatrix to = DenseMatrix.zeros(from.rows(), 2);
    for (long row = 0; row < from.rows(); row++) {
      to.set(row, 0, cos * from.get(row, 0) + sin * from.get(row, 1));
      to.set(row, 1, -sin * from.get(row, 0) + cos * from.get(row, 1));
    }
    TuckerValue value = (TuckerValue) model.value();
    double[] core = value.core().clone();
    int half = core.length / 2;
    for (int at = 0; at < half; at++) {
      core[at] = cos * value.core()[at] + sin * value.core()[half + at];
      core[half + at] = -sin * value.core()[at] + cos * value.core()[half + at];
    }
    List<DenseMatrix> factors = new ArrayList<>(model.model().factors());
    factors.set(0, to);
    return LabelledModel.of(new FactorModel(factors, new TuckerValue(value.ranks(), core)));
  }

  @Test
  void aRotationOfATuckerModelIsNoDrift() {
    LabelledModel model = tucker(5, 6, 7, 4);
    LabelledModel turned = turned(model, 37);
    assertThat(turned.model().at(3, 5, 1)).isCloseTo(model.model().at(3, 5, 1), within(1e-12));
    ModelComparison same = ModelComparison.of(model, turned, 2);
    assertThat(same.drift()).isCloseTo(0, within(1e-12));
    assertThat(same.modes()).allMatch(mode -> mode.drift() < 1e-12 && mode.angles().size() == 2);
    assertThat(same.modes().get(0).angles()).allMatch(angle -> angle < 1e-5);
    assertThat(same.changes()).hasSize(6).allMatch(change -> change.distance() < 1e-6);
  }

  /** Row 2 of the first mode is sent to a row of its own, which no other model has. */
  @Test
  void theAngleAndTheRowThatMovedAreNamed() {
    LabelledModel model = labelled(tucker(5, 3, 7, 4), "a", "b", "c");
    LabelledModel other = labelled(turned(tucker(5, 3, 7, 4), 20), "a", "b", "d");
    ModelComparison moved = ModelComparison.of(model, other, 3);
    assertThat(moved.drift()).isBetween(1e-3, 1.0);
    assertThat(moved.modes().get(0)).extracting("onlyFirst", "onlySecond").containsExactly(1L, 1L);
    double weight = Math.hypot(model.factor(0).get(2, 0), model.factor(0).get(2, 1));
    assertThat(moved.modes().get(0).angles().get(1))
        .isCloseTo(Math.toDegrees(Math.acos(1 - weight * weight)), within(1e-6));
    assertThat(moved.modes().get(1).angles()).allMatch(angle -> angle < 1e-5);
    ModelComparison.Change first = moved.changes().get(0);
    assertThat(first).extracting("label", "after").containsExactly("c", 0.0);
    double slice = 0;
    for (int j = 0; j < 7; j++) {
      for (int k = 0; k < 4; k++) {
        slice += Math.pow(model.model().at(2, j, k), 2);
      }
    }
    assertThat(first.distance()).isCloseTo(Math.sqrt(slice), within(1e-9));
  }

  @Test
  void modelsOfTwoKindsAreNotCompared() {
    assertThatThrownBy(() -> ModelComparison.of(model(1, 2, 3), tucker(1, 4, 5), 0))
        .hasMessageContaining("found one of each");
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
