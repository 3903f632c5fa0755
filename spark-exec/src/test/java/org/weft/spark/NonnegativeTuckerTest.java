package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.decomposition.NonnegativeTucker;
import org.weft.decomposition.OrthogonalIteration;
import org.weft.decomposition.Ranks;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.MethodResult;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/** Nonnegative Tucker models, against planted ones, and by executors against one process. */
class NonnegativeTuckerTest {
  @TempDir Path folder;

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Found(List<double[][]> factors, double[] core, List<Double> fits) {
    double last() {
      return fits.get(fits.size() - 1);
    }
  }

  private Found run(Engine engine, SparseEntries entries, NonnegativeTucker method)
      throws IOException {
    EngineTensor tensor = entries.read(engine, folder, method.valueType(), 100);
    List<double[][]> factors = new ArrayList<>();
    MethodResult<OrthogonalIteration.Model> result =
        engine.run(
            tensor,
            method,
            ProgressListener.NONE,
            (model, site) ->
                model.factors().forEach(factor -> factors.add(array(site.result(factor)))));
    return new Found(factors, result.model().core(), result.model().fits());
  }

  private Found run(SparseEntries entries, NonnegativeTucker method) throws IOException {
    try (Engine engine = LocalBackend.engine(FileAccess.local(), EngineOptions.defaults())) {
      return run(engine, entries, method);
    }
  }

  private static double[][] array(DenseMatrix matrix) {
    double[][] rows = new double[(int) matrix.rows()][matrix.columns()];
    for (int i = 0; i < rows.length; i++) {
      matrix.copyRow(i, rows[i], 0);
    }
    return rows;
  }

  private static NonnegativeTucker method(int iterations, long seed, ValueType type, int... ranks) {
    List<Integer> list = Arrays.stream(ranks).boxed().toList();
    return new NonnegativeTucker(new Ranks(list), iterations, 0, seed, type);
  }

  /** About half of the numbers are 0. */
  private static double[] numbers(Random random, int count) {
    return IntStream.range(0, count)
        .mapToDouble(i -> Math.max(0, random.nextDouble() * 2 - 1))
        .toArray();
  }

  /** All cells of a model of three modes. */
  private static double[] cells(List<double[][]> factors, double[] core) {
    int[] sizes = factors.stream().mapToInt(factor -> factor.length).toArray();
    int[] ranks = factors.stream().mapToInt(factor -> factor[0].length).toArray();
    double[] cells = new double[sizes[0] * sizes[1] * sizes[2]];
    for (int cell = 0; cell < cells.length; cell++) {
      int i = cell / sizes[2] / sizes[1];
      int j = cell / sizes[2] % sizes[1];
      int k = cell % sizes[2];
      for (int c = 0; c < core.length; c++) {
        double[] a = factors.get(0)[i];
        double[] b = factors.get(1)[j];
        cells[cell] +=
            core[c]
                * a[c / ranks[2] / ranks[1]]
                * b[c / ranks[2] % ranks[1]]
                * factors.get(2)[k][c % ranks[2]];
      }
    }
    return cells;
  }

  private static SparseEntries entries(double[] cells, int... sizes) {
    SparseEntries entries = SparseEntries.empty(Arrays.stream(sizes).asLongStream().toArray());
    for (int cell = 0; cell < cells.length; cell++) {
      int rest = cell / sizes[2];
      entries.add(cells[cell], rest / sizes[1], rest % sizes[1], cell % sizes[2]);
    }
    return entries;
  }

  private static double norm(double[] cells, double[] without) {
    return Math.sqrt(
        IntStream.range(0, cells.length)
            .mapToDouble(c -> Math.pow(cells[c] - without[c], 2))
            .sum());
  }

  /** The best of three starts is nearer to the tensor without noise than the noise is. */
  @ParameterizedTest
  @CsvSource({"2, 3, 4", "3, 3, 3"})
  void findsAPlantedModelUnderNoise(int p, int q, int r) throws IOException {
    int[] sizes = {24, 20, 18};
    int[] ranks = {p, q, r};
    int recovered = 0;
    for (int seed = 0; seed < Planted.SEEDS; seed++) {
      Random random = new Random(seed);
      List<double[][]> factors = new ArrayList<>();
      for (int mode = 0; mode < 3; mode++) {
        double[][] factor = new double[sizes[mode]][];
        for (int i = 0; i < factor.length; i++) {
          factor[i] = numbers(random, ranks[mode]);
        }
        factors.add(factor);
      }
      double[] clean = cells(factors, numbers(random, p * q * r));
      double whole = norm(clean, new double[clean.length]);
      double deviation = 0.01 * whole / Math.sqrt(clean.length);
      double[] noisy =
          Arrays.stream(clean).map(v -> v + deviation * random.nextGaussian()).toArray();
      double nearest = Double.POSITIVE_INFINITY;
      for (int start = 0; start < 3; start++) {
        Found found =
            run(
                entries(noisy, sizes),
                method(Planted.LONG ? 100 : 50, 7 * seed + start, ValueType.DOUBLE, ranks));
        double[] model = cells(found.factors(), found.core());
        assertThat(found.last())
            .isCloseTo(
                1 - norm(noisy, model) / norm(noisy, new double[noisy.length]), within(1e-9));
        assertThat(Arrays.stream(found.core())).allMatch(number -> number >= 0);
        found.factors().forEach(NonnegativeTuckerTest::assertUnitAndNonnegative);
        nearest = Math.min(nearest, norm(clean, model) / whole);
      }
      recovered += nearest < 0.01 ? 1 : 0;
    }
    Planted.requireMost("nonnegative Tucker " + Arrays.toString(ranks), recovered);
  }

  private static void assertUnitAndNonnegative(double[][] factor) {
    for (int r = 0; r < factor[0].length; r++) {
      int column = r;
      assertThat(Arrays.stream(factor)).allMatch(row -> row[column] >= 0);
      double square = Arrays.stream(factor).mapToDouble(row -> row[column] * row[column]).sum();
      assertThat(square == 0 || Math.abs(square - 1) < 1e-9).isTrue();
    }
  }

  /** The unit of the values is that of the core. */
  @ParameterizedTest
  @EnumSource(
      value = ValueType.class,
      names = {"FLOAT", "DOUBLE"})
  void factorsDoNotDependOnTheUnit(ValueType type) throws IOException {
    double unit = 0x1p50;
    SparseEntries one = SparseEntries.random(5, 300, 14, 9, 17);
    SparseEntries other = SparseEntries.empty(14, 9, 17);
    for (int e = 0; e < one.values().size(); e++) {
      other.add(one.values().get(e) * unit, one.coordinates().get(e));
    }
    Found small = run(one, method(4, 3, type, 3, 2, 3));
    Found large = run(other, method(4, 3, type, 3, 2, 3));
    for (int mode = 0; mode < 3; mode++) {
      assertThat(large.factors().get(mode)).isDeepEqualTo(small.factors().get(mode));
    }
    assertThat(large.core()).isEqualTo(Arrays.stream(small.core()).map(v -> v * unit).toArray());
  }

  /** Then the best core for random factors is 0, from which no factor would ever move. */
  @ParameterizedTest
  @CsvSource({"0, 1", "-0.1, 1e-100", "-0.1, 1e100"})
  void findsAModelWhereTheMeanIsNegative(double mean, double unit) throws IOException {
    int[] sizes = {9, 8, 7};
    for (int seed = 0; seed < 4; seed++) {
      Random random = new Random(seed);
      double[] cells =
          IntStream.range(0, 9 * 8 * 7)
              .mapToDouble(cell -> unit * (mean + random.nextGaussian()))
              .toArray();
      Found found =
          run(
              entries(cells, sizes),
              method(Planted.LONG ? 20 : 5, seed, ValueType.DOUBLE, 3, 3, 3));
      assertThat(found.last()).isGreaterThan(0.01);
      found.factors().forEach(NonnegativeTuckerTest::assertUnitAndNonnegative);
    }
  }

  @Test
  void aTensorWithoutEntriesHasAZeroCore() throws IOException {
    Found found = run(SparseEntries.empty(4, 5, 6), method(2, 1, ValueType.DOUBLE, 2, 2, 2));
    assertThat(found.core()).containsOnly(0.0);
    assertThat(found.last()).isEqualTo(1.0);
  }

  @Test
  void executorsFindWhatOneProcessFinds() throws IOException {
    SparseEntries entries = SparseEntries.random(54, 1000, 30, 20, 10);
    NonnegativeTucker method = method(4, 5, ValueType.DOUBLE, 3, 2, 4);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(7));
    try (Engine spark = SparkEngine.create(LocalSpark.context(), options);
        Engine local = LocalBackend.engine(FileAccess.local(), options)) {
      Found there = run(spark, entries, method);
      Found here = run(local, entries, method);
      assertThat(there.last()).isCloseTo(here.last(), within(1e-10));
      for (int at = 0; at < here.core().length; at++) {
        assertThat(there.core()[at])
            .isCloseTo(here.core()[at], within(1e-8 * here.core()[0] + 1e-8));
      }
    }
  }
}
