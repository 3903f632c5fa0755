package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.decomposition.completion.Completion;
import org.weft.decomposition.completion.NormalSolver;
import org.weft.decomposition.completion.Rival;
import org.weft.decomposition.cp.AlternatingLeastSquares;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Completion where missing cells count as 0, by a weight, against sums over all cells. */
class MissingWeightTest {
  private static final int[] SIZES = {9, 8, 7};

  /** A model, and its factors before normalisation. */
  private record Found(Completion.Model model, double[][][] factors) {
    double value(int... at) {
      double sum = 0;
      for (int c = 0; c < factors[0][0].length; c++) {
        sum += factors[0][at[0]][c] * factors[1][at[1]][c] * factors[2][at[2]][c];
      }
      return sum;
    }
  }

  /** A tensor of a third of the cells; the last slice of mode 0 is empty. */
  private static double[][][] cells() {
    Random random = new Random(3);
    double[][][] cells = new double[SIZES[0]][SIZES[1]][SIZES[2]];
    for (int i = 0; i < SIZES[0] - 1; i++) {
      for (double[] row : cells[i]) {
        for (int k = 0; k < row.length; k++) {
          row[k] = random.nextInt(3) == 0 ? 2 + random.nextGaussian() : 0;
        }
      }
    }
    return cells;
  }

  private static EngineTensor tensor(Engine engine) {
    double[][][] cells = cells();
    CooBlock.Builder block = new CooBlock.Builder(3, 16);
    for (int i = 0; i < SIZES[0]; i++) {
      for (int j = 0; j < SIZES[1]; j++) {
        for (int k = 0; k < SIZES[2]; k++) {
          if (cells[i][j][k] != 0) {
            block.add(new long[] {i, j, k}, cells[i][j][k]);
          }
        }
      }
    }
    TensorShape shape = TensorShape.of(SIZES[0], SIZES[1], SIZES[2]);
    return engine.of("x", shape, List.of(block.build()), ValueType.DOUBLE);
  }

  private static Engine local() {
    return LocalBackend.engine(FileAccess.local(), EngineOptions.defaults());
  }

  private static Completion weighted(double weight, boolean biases, int sweeps, double ridge) {
    return weighted(weight, biases, sweeps, ridge, 1);
  }

  private static Completion weighted(
      double weight, boolean biases, int sweeps, double ridge, long seed) {
    return new Completion(
        new NormalSolver(weight),
        2,
        biases,
        sweeps,
        sweeps,
        0,
        ridge,
        seed,
        ValueType.DOUBLE,
        Optional.empty(),
        Rival.NONE);
  }

  private static Found run(Engine engine, Completion method) {
    List<DenseMatrix> matrices = new ArrayList<>();
    Completion.Model model =
        engine
            .run(
                tensor(engine),
                method,
                ProgressListener.NONE,
                (made, site) -> made.rows().forEach(rows -> matrices.add(site.collect(rows))))
            .model();
    double[][][] factors = new double[SIZES.length][][];
    for (int mode = 0; mode < SIZES.length; mode++) {
      DenseMatrix matrix = matrices.get(mode);
      factors[mode] = new double[SIZES[mode]][matrix.columns()];
      for (int i = 0; i < SIZES[mode]; i++) {
        matrix.copyRow(i, factors[mode][i], 0);
      }
    }
    return new Found(model, factors);
  }

  /** The objective's derivative by each number of the last factor, which was made last. */
  private static double[][] slopes(Found found, double weight) {
    double[][][] cells = cells();
    double[][] slopes = new double[SIZES[2]][found.factors()[0][0].length];
    for (int i = 0; i < SIZES[0]; i++) {
      for (int j = 0; j < SIZES[1]; j++) {
        for (int k = 0; k < SIZES[2]; k++) {
          double x = cells[i][j][k];
          double slope = (x == 0 ? weight : 1) * (found.value(i, j, k) - x);
          for (int c = 0; c < slopes[k].length; c++) {
            slopes[k][c] += slope * found.factors()[0][i][c] * found.factors()[1][j][c];
          }
        }
      }
    }
    return slopes;
  }

  /** With a ridge the slope is a multiple of the number, the same one in the whole factor. */
  @ParameterizedTest
  @CsvSource({
    "0, false, 0",
    "0.001, false, 0",
    "0.3, true, 0",
    "0.3, false, 0.1",
    "1, false, 0",
    "1, true, 0",
    "1, false, 0.1"
  })
  void theLastFactorIsTheBestForTheOthers(double weight, boolean biases, double ridge) {
    try (Engine engine = local()) {
      Found found = run(engine, weighted(weight, biases, 1, ridge));
      double[][] slopes = slopes(found, weight);
      double[][] last = found.factors()[2];
      double multiple = slopes[0][0] / last[0][0];
      assertThat(Math.abs(multiple)).isGreaterThan(ridge / 100);
      for (int k = 0; k < slopes.length; k++) {
        for (int c = 0; c < (biases ? 2 : slopes[k].length); c++) {
          double expected = ridge == 0 ? 0 : multiple * last[k][c];
          assertThat(slopes[k][c]).isCloseTo(expected, within(1e-9));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0", "0.2", "1"})
  void missingCellsAddToTheErrorByTheirWeight(double weight) {
    try (Engine engine = local()) {
      Found found = run(engine, weighted(weight, true, 3, 0.01));
      double[][][] cells = cells();
      double squares = 0;
      int entries = 0;
      for (int i = 0; i < SIZES[0]; i++) {
        for (int j = 0; j < SIZES[1]; j++) {
          for (int k = 0; k < SIZES[2]; k++) {
            double error = cells[i][j][k] - found.value(i, j, k);
            squares += (cells[i][j][k] == 0 ? weight : 1) * error * error;
            entries += cells[i][j][k] == 0 ? 0 : 1;
          }
        }
      }
      assertThat(found.model().error()).isCloseTo(Math.sqrt(squares / entries), within(1e-9));
    }
  }

  /** The best of some starts, as each may end in a local optimum. */
  @Test
  void aWeightOfOneIsCpByLeastSquares() {
    double weighted = 0;
    double cp = 0;
    try (Engine engine = local()) {
      EngineTensor tensor = tensor(engine);
      for (int seed = 0; seed < 6; seed++) {
        Completion method = weighted(1, false, 200, 0, seed);
        weighted = Math.max(weighted, last(run(engine, method).model().fits()));
        var als = new AlternatingLeastSquares(new Cpd(2, 200, 0, false, seed, ValueType.DOUBLE));
        var made = engine.run(tensor, als, ProgressListener.NONE, (model, site) -> {});
        cp = Math.max(cp, last(made.model().fits()));
      }
    }
    assertThat(weighted).isCloseTo(cp, within(1e-6));
  }

  private static double last(List<Double> fits) {
    return fits.get(fits.size() - 1);
  }

  @Test
  void aSliceWithoutEntriesIsZeroWhereMissingCellsCount() {
    try (Engine engine = local()) {
      assertThat(run(engine, weighted(0.1, false, 2, 0)).factors()[0][SIZES[0] - 1])
          .containsOnly(0);
    }
  }

  @ParameterizedTest
  @CsvSource({"0.2", "1"})
  void executorsFindWhatOneProcessFinds(double weight) {
    EngineOptions options =
        EngineOptions.defaults().planning(p -> p.withPartitions(2).withReproducible(true));
    try (Engine spark = SparkEngine.create(LocalSpark.context(), options);
        Engine local = LocalBackend.engine(FileAccess.local(), options)) {
      double[][][] there = run(spark, weighted(weight, true, 2, 0.01)).factors();
      double[][][] here = run(local, weighted(weight, true, 2, 0.01)).factors();
      for (int mode = 0; mode < SIZES.length; mode++) {
        for (int i = 0; i < SIZES[mode]; i++) {
          assertThat(there[mode][i]).containsExactly(here[mode][i], within(1e-10));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"-0.1", "1.5", "NaN"})
  void otherWeightsAreRefused(double weight) {
    assertThatThrownBy(() -> new NormalSolver(weight))
        .hasMessageContaining("expected a missing weight from 0 to 1");
  }
}
