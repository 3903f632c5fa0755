package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.SingularOps_DDRM;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.OrthogonalIteration;
import org.weft.decomposition.OrthogonalIteration.Start;
import org.weft.decomposition.Ranks;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.error.WeftException;
import org.weft.planner.machine.Resources;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/** Tucker decompositions of small tensors, against naive loops over all cells. */
class TuckerTest {
  @TempDir Path folder;

  /** All cells of a core times factors, and a number for each cell. */
  private record Dense(long[] sizes, double[] cells) {
    /** Mode by mode: the ranks of the core become sizes, from the first mode to the last. */
    static Dense product(int[] ranks, double[] core, double[][][] factors) {
      double[] cells = core;
      int outer = 1;
      int inner = core.length;
      for (int m = 0; m < ranks.length; m++) {
        inner /= ranks[m];
        cells = product(cells, outer, factors[m], ranks[m], inner);
        outer *= factors[m].length;
      }
      return new Dense(Arrays.stream(factors).mapToLong(factor -> factor.length).toArray(), cells);
    }

    /** outer x rank x inner cells, times a factor of size x rank: outer x size x inner. */
    private static double[] product(
        double[] cells, int outer, double[][] factor, int rank, int inner) {
      double[] made = new double[outer * factor.length * inner];
      for (int o = 0; o < outer; o++) {
        for (int i = 0; i < factor.length; i++) {
          int to = (o * factor.length + i) * inner;
          for (int r = 0; r < rank; r++) {
            int from = (o * rank + r) * inner;
            for (int c = 0; c < inner; c++) {
              made[to + c] += factor[i][r] * cells[from + c];
            }
          }
        }
      }
      return made;
    }

    static int[] at(int cell, long[] sizes) {
      int[] at = new int[sizes.length];
      int rest = cell;
      for (int m = sizes.length - 1; m >= 0; m--) {
        at[m] = (int) (rest % sizes[m]);
        rest /= (int) sizes[m];
      }
      return at;
    }

    SparseEntries entries() {
      SparseEntries entries = SparseEntries.empty(sizes);
      for (int cell = 0; cell < cells.length; cell++) {
        if (cells[cell] != 0) {
          entries.add(cells[cell], Arrays.stream(at(cell, sizes)).asLongStream().toArray());
        }
      }
      return entries;
    }

    double norm() {
      return Math.sqrt(Arrays.stream(cells).map(v -> v * v).sum());
    }

    double distance(Dense other) {
      return Math.sqrt(
          IntStream.range(0, cells.length)
              .mapToDouble(c -> Math.pow(cells[c] - other.cells[c], 2))
              .sum());
    }
  }

  /** Factors have rows of zeros: slices without entries. */
  private static Dense planted(long seed, int[] ranks, long... sizes) {
    Random random = new Random(seed);
    double[][][] factors = new double[sizes.length][][];
    for (int m = 0; m < sizes.length; m++) {
      factors[m] = new double[(int) sizes[m]][ranks[m]];
      for (int i = 0; i < sizes[m]; i++) {
        for (int r = 0; r < ranks[m]; r++) {
          factors[m][i][r] = i % 5 == 3 ? 0 : random.nextGaussian();
        }
      }
    }
    double[] core =
        random.doubles(Arrays.stream(ranks).reduce(1, (a, b) -> a * b), -1, 1).toArray();
    return Dense.product(ranks, core, factors);
  }

  private static Dense model(FoundTucker model, int[] ranks) {
    double[][][] factors =
        model.factors().stream().map(TuckerTest::array).toArray(double[][][]::new);
    return Dense.product(ranks, model.core(), factors);
  }

  private static double[][] array(DenseMatrix matrix) {
    double[][] rows = new double[(int) matrix.rows()][matrix.columns()];
    for (int i = 0; i < rows.length; i++) {
      matrix.copyRow(i, rows[i], 0);
    }
    return rows;
  }

  private static void assertOrthonormal(DenseMatrix factor) {
    DMatrixRMaj rows = new DMatrixRMaj(array(factor));
    DMatrixRMaj products = new DMatrixRMaj(factor.columns(), factor.columns());
    CommonOps_DDRM.multTransA(rows, rows, products);
    for (int r = 0; r < factor.columns(); r++) {
      products.add(r, r, -1);
    }
    assertThat(CommonOps_DDRM.elementMaxAbs(products)).isLessThanOrEqualTo(1e-12);
  }

  private static OrthogonalIteration tucker(
      int[] ranks, int iterations, long seed, ValueType type) {
    return tucker(ranks, Start.STHOSVD, iterations, seed, type);
  }

  private static OrthogonalIteration tucker(
      int[] ranks, Start start, int iterations, long seed, ValueType type) {
    List<Integer> list = Arrays.stream(ranks).boxed().collect(Collectors.toList());
    return new OrthogonalIteration(new Ranks(list), start, iterations, 1e-9, seed, type);
  }

  private FoundTucker run(SparseEntries entries, OrthogonalIteration tucker, EngineOptions options)
      throws IOException {
    Path file = entries.write(folder.resolve("x.tns"));
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      ReadOptions read =
          ReadOptions.defaults()
              .withHeader(ReadOptions.Header.EXTENDED)
              .withAllowNonfinite(true)
              .withBlockEntries(100);
      EngineTensor tensor = engine.read(file.toString(), read, tucker.valueType());
      return FoundTucker.of(engine, tensor, tucker, ProgressListener.NONE);
    }
  }

  static Stream<Arguments> shapes() {
    return Stream.of(
        Arguments.of(new int[] {3, 3}, new long[] {20, 15}),
        Arguments.of(new int[] {2, 3, 4}, new long[] {12, 15, 9}),
        Arguments.of(new int[] {1, 1, 1}, new long[] {7, 4, 6}),
        Arguments.of(new int[] {4, 3, 2}, new long[] {4, 11, 30}),
        Arguments.of(new int[] {2, 2, 3, 2}, new long[] {6, 7, 5, 8}),
        Arguments.of(new int[] {2, 1, 2, 2, 2}, new long[] {4, 3, 5, 4, 6}));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void findsAPlantedModelFromEverySeed(int[] ranks, long[] sizes) throws IOException {
    for (Start start : Start.values()) {
      int seed = start.ordinal();
      Dense planted = planted(seed, ranks, sizes);
      FoundTucker found =
          run(
              planted.entries(),
              tucker(ranks, start, 30, seed, ValueType.DOUBLE),
              EngineOptions.defaults());
      assertThat(found.fits().get(found.fits().size() - 1)).isGreaterThan(1 - 1e-6);
      assertThat(planted.distance(model(found, ranks))).isLessThan(1e-9 * planted.norm());
      found.factors().forEach(TuckerTest::assertOrthonormal);
    }
  }

  /**
   * With noise of 1 percent: the planes of the factors are those without it, to a cosine of 0.98 of
   * the largest angle, and the model is nearer to the tensor without noise than the noise is.
   */
  @ParameterizedTest
  @CsvSource({"2x3x4, 24x20x18", "3x3x3, 20x20x20", "2x2x3x2, 9x8x7x10"})
  void findsAPlantedModelUnderNoise(String core, String mode) throws IOException {
    int[] ranks = Arrays.stream(core.split("x")).mapToInt(Integer::parseInt).toArray();
    long[] sizes = Arrays.stream(mode.split("x")).mapToLong(Long::parseLong).toArray();
    int recovered = 0;
    for (int seed = 0; seed < Planted.SEEDS; seed++) {
      Dense planted = planted(seed, ranks, sizes);
      Random random = new Random(seed);
      double deviation = 0.01 * planted.norm() / Math.sqrt(planted.cells().length);
      double[] noisy =
          Arrays.stream(planted.cells()).map(v -> v + deviation * random.nextGaussian()).toArray();
      OrthogonalIteration tucker = tucker(ranks, 30, seed, ValueType.DOUBLE);
      FoundTucker clean = run(planted.entries(), tucker, EngineOptions.defaults());
      FoundTucker found = run(new Dense(sizes, noisy).entries(), tucker, EngineOptions.defaults());
      double least = 1;
      for (int m = 0; m < sizes.length; m++) {
        least = Math.min(least, cosine(clean.factors().get(m), found.factors().get(m)));
      }
      boolean near = planted.distance(model(found, ranks)) < 0.01 * planted.norm();
      recovered += near && least > 0.98 ? 1 : 0;
    }
    Planted.requireMost("Tucker " + core + " of " + mode, recovered);
  }

  /** The first sweep from samples of the tensor comes to where sweeps from random factors end. */
  @ParameterizedTest
  @CsvSource({"2x3x4, 24x20x18, DOUBLE", "2x2x3x2, 9x8x7x10, FLOAT", "4x4, 40x30, DOUBLE"})
  void oneSweepFromSamplesIsEnoughForAPlantedModel(String core, String mode, ValueType some)
      throws IOException {
    int[] ranks = Arrays.stream(core.split("x")).mapToInt(Integer::parseInt).toArray();
    long[] sizes = Arrays.stream(mode.split("x")).mapToLong(Long::parseLong).toArray();
    Dense planted = planted(3, ranks, sizes);
    Random random = new Random(3);
    double deviation = 0.01 * planted.norm() / Math.sqrt(planted.cells().length);
    double[] noisy =
        Arrays.stream(planted.cells()).map(v -> v + deviation * random.nextGaussian()).toArray();
    SparseEntries entries = new Dense(sizes, noisy).entries();
    for (ValueType type :
        Planted.LONG ? List.of(ValueType.DOUBLE, ValueType.FLOAT) : List.of(some)) {
      FoundTucker sampled = run(entries, tucker(ranks, 1, 7, type), EngineOptions.defaults());
      OrthogonalIteration drawn = tucker(ranks, Start.RANDOM, 30, 7, type);
      List<Double> fits = run(entries, drawn, EngineOptions.defaults()).fits();
      assertThat(sampled.fits().get(0)).isCloseTo(fits.get(fits.size() - 1), within(1e-5));
    }
  }

  /** Of the largest angle between the planes that orthonormal columns span. */
  private static double cosine(DenseMatrix one, DenseMatrix other) {
    DMatrixRMaj both = new DMatrixRMaj(one.columns(), other.columns());
    CommonOps_DDRM.multTransA(new DMatrixRMaj(array(one)), new DMatrixRMaj(array(other)), both);
    double[] cosines = SingularOps_DDRM.singularValues(both);
    return cosines[cosines.length - 1];
  }

  /** Noise: the fit is that of the model, and that of the best one that naive iterations find. */
  @ParameterizedTest
  @CsvSource({"DOUBLE, 1e-10", "FLOAT, 1e-5"})
  void fitIsThatOfTheModel(ValueType type, double tolerance) throws IOException {
    int[] ranks = {3, 2, 3};
    SparseEntries entries = SparseEntries.random(5, 400, 14, 9, 17);
    double[] cells = new double[14 * 9 * 17];
    for (int e = 0; e < entries.values().size(); e++) {
      long[] at = entries.coordinates().get(e);
      cells[(int) ((at[0] * 9 + at[1]) * 17 + at[2])] += entries.values().get(e);
    }
    Dense tensor = new Dense(entries.sizes(), cells);
    for (int partitions : new int[] {0, 5}) {
      FoundTucker found =
          run(
              entries,
              tucker(ranks, 40, 3, type),
              EngineOptions.defaults().planning(p -> p.withPartitions(partitions)));
      double fit = found.fits().get(found.fits().size() - 1);
      assertThat(found.norm()).isCloseTo(tensor.norm(), within(tolerance * tensor.norm()));
      double distance = tensor.distance(model(found, ranks));
      assertThat(fit).isCloseTo(1 - distance / tensor.norm(), within(tolerance));
      for (int sweep = 1; sweep < found.fits().size(); sweep++) {
        assertThat(found.fits().get(sweep)).isGreaterThan(found.fits().get(sweep - 1) - tolerance);
      }
      found.factors().forEach(TuckerTest::assertOrthonormal);
      for (int mode = 0; mode < 3; mode++) {
        assertThat(projected(tensor, found, mode, ranks[mode]))
            .isCloseTo(core(found), within(1e-3 * core(found)));
      }
    }
  }

  private static double core(FoundTucker model) {
    return Arrays.stream(model.core()).map(v -> v * v).sum();
  }

  /**
   * What the best basis of a mode explains, the others' kept: sum of the largest eigenvalues of
   * {@code Y Y^T}, by power iterations with deflation.
   */
  private static double projected(Dense x, FoundTucker model, int mode, int rank) {
    int rows = (int) x.sizes[mode];
    double[][] gram = new double[rows][rows];
    int[] ranks = model.factors().stream().mapToInt(DenseMatrix::columns).toArray();
    ranks[mode] = 1;
    long[] wide = Arrays.stream(ranks).asLongStream().toArray();
    int columns = Arrays.stream(ranks).reduce(1, (a, b) -> a * b);
    double[][] y = new double[rows][columns];
    for (int cell = 0; cell < x.cells.length; cell++) {
      int[] at = Dense.at(cell, x.sizes);
      for (int c = 0; c < columns && x.cells[cell] != 0; c++) {
        int[] r = Dense.at(c, wide);
        double term = x.cells[cell];
        for (int m = 0; m < at.length; m++) {
          term *= m == mode ? 1 : model.factors().get(m).get(at[m], r[m]);
        }
        y[at[mode]][c] += term;
      }
    }
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < rows; j++) {
        for (int c = 0; c < columns; c++) {
          gram[i][j] += y[i][c] * y[j][c];
        }
      }
    }
    double sum = 0;
    for (int r = 0; r < rank; r++) {
      double[] v = new Random(r).doubles(rows, -1, 1).toArray();
      double value = 0;
      for (int power = 0; power < 2000; power++) {
        double[] next = new double[rows];
        for (int i = 0; i < rows; i++) {
          for (int j = 0; j < rows; j++) {
            next[i] += gram[i][j] * v[j];
          }
        }
        value = Math.sqrt(Arrays.stream(next).map(a -> a * a).sum());
        for (int i = 0; i < rows; i++) {
          v[i] = value == 0 ? 0 : next[i] / value;
        }
      }
      sum += value;
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
          gram[i][j] -= value * v[i] * v[j];
        }
      }
    }
    return sum;
  }

  /** Rows of 900 numbers: the basis comes from a sample. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void wideRowsAreSampled(long seed) throws IOException {
    int[] ranks = {4, 30, 30};
    Dense planted = planted(seed, new int[] {3, 6, 6}, 40, 34, 36);
    FoundTucker found =
        run(planted.entries(), tucker(ranks, 8, seed, ValueType.DOUBLE), EngineOptions.defaults());
    assertThat(planted.distance(model(found, ranks))).isLessThan(1e-7 * planted.norm());
    found.factors().forEach(TuckerTest::assertOrthonormal);
  }

  /** Samples of 528 numbers a row. */
  @Test
  void wideSamplesAreSampled() throws IOException {
    int[] ranks = {260, 260};
    SparseEntries entries = SparseEntries.random(4, 20_000, 300, 280);
    List<Double> last = new ArrayList<>();
    for (Start start : Start.values()) {
      int sweeps = start == Start.STHOSVD ? 1 : 4;
      OrthogonalIteration tucker = tucker(ranks, start, sweeps, 4, ValueType.DOUBLE);
      FoundTucker found = run(entries, tucker, EngineOptions.defaults());
      found.factors().forEach(TuckerTest::assertOrthonormal);
      last.add(found.fits().get(found.fits().size() - 1));
    }
    assertThat(last.get(0)).isGreaterThan(last.get(1) - 0.01);
  }

  /** A mode that has fewer slices in use than its samples have columns, and more in all. */
  @ParameterizedTest
  @CsvSource({"RANDOM, 32", "RANDOM, 31", "STHOSVD, 32", "STHOSVD, 30"})
  void aModeMayHaveFewSlicesInUse(Start start, int used) throws IOException {
    SparseEntries entries = SparseEntries.empty(new long[] {40, 30, 30});
    Random random = new Random(3);
    for (int e = 0; e < 3000; e++) {
      entries.add(
          random.nextGaussian(), random.nextInt(used), random.nextInt(30), random.nextInt(30));
    }
    OrthogonalIteration tucker = tucker(new int[] {30, 25, 25}, start, 2, 1, ValueType.DOUBLE);
    FoundTucker model = run(entries, tucker, EngineOptions.defaults());
    model.factors().forEach(TuckerTest::assertOrthonormal);
  }

  @Test
  void theSameSeedGivesTheSameBitsOnAnyNumberOfThreads() throws IOException {
    SparseEntries entries = SparseEntries.random(8, 3000, 40, 30, 50);
    OrthogonalIteration tucker = tucker(new int[] {4, 3, 5}, 5, 6, ValueType.DOUBLE);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withReproducible(true));
    FoundTucker one = run(entries, tucker, options.withThreadsPerTask(1));
    FoundTucker three = run(entries, tucker, options.withThreadsPerTask(3));
    assertThat(three.core()).isEqualTo(one.core());
    assertThat(array(three.factors().get(2))).isDeepEqualTo(array(one.factors().get(2)));
    EngineOptions two = EngineOptions.defaults().withThreadsPerTask(2);
    assertThat(run(entries, tucker, two).core()).isEqualTo(run(entries, tucker, two).core());
  }

  @Test
  void aTensorWithoutEntriesHasAZeroCore() throws IOException {
    FoundTucker found =
        run(
            SparseEntries.empty(4, 5, 6),
            tucker(new int[] {2, 2, 2}, 3, 1, ValueType.DOUBLE),
            EngineOptions.defaults());
    assertThat(found.core()).containsOnly(0.0);
    assertThat(found.fits()).last().isEqualTo(1.0);
    found.factors().forEach(TuckerTest::assertOrthonormal);
  }

  @Test
  void whatCannotBeDoneIsOneError() throws IOException {
    SparseEntries entries = SparseEntries.random(8, 30, 4, 3, 5);
    EngineOptions options = EngineOptions.defaults();
    assertThatThrownBy(() -> tucker(new int[] {0, 1, 1}, 3, 1, ValueType.DOUBLE))
        .hasMessageContaining("each at least 1");
    assertThatThrownBy(() -> tucker(new int[] {5, 2, 2}, 3, 1, ValueType.DOUBLE))
        .hasMessageContaining("rank of mode 0 of at most 4, the product of the other ranks");
    assertThatThrownBy(() -> tucker(new int[] {2, 2, 2}, 0, 1, ValueType.DOUBLE))
        .hasMessageContaining("at least 1 iteration");
    OrthogonalIteration two = tucker(new int[] {2, 2}, 3, 1, ValueType.DOUBLE);
    assertThatThrownBy(() -> run(entries, two, options))
        .hasMessageContaining("3 ranks for a tensor of 3 modes, found 2");
    OrthogonalIteration large = tucker(new int[] {3, 4, 2}, 3, 1, ValueType.DOUBLE);
    assertThatThrownBy(() -> run(entries, large, options))
        .hasMessageContaining("rank of mode 1 of at most 3, its size, found 4");
    OrthogonalIteration fits = tucker(new int[] {2, 2, 2}, 3, 1, ValueType.DOUBLE);
    EngineOptions small = options.withCluster(new Resources(1, 1, 1, 500).withKernelsInTurn());
    assertThatThrownBy(() -> run(entries, fits, small))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("tucker: expected to need at most")
        .hasMessageContaining(
            "for mode 2, 5 rows of 4 numbers; give lower --ranks or --type float");
    SparseEntries nan = SparseEntries.random(8, 30, 4, 3, 5).add(Double.NaN, 0, 0, 0);
    assertThatThrownBy(() -> run(nan, fits, options)).hasMessageContaining("squares of the values");
  }
}
