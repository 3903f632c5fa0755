package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.cp.CpState;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.FileRows;
import org.weft.engine.JobReport;
import org.weft.engine.Ordering;
import org.weft.engine.ProgressListener;
import org.weft.engine.StepReport;
import org.weft.planner.Forms;
import org.weft.planner.machine.MachineParameters;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyRows;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** CP-ALS on an engine. */
abstract class CpdContract {
  private static final Path DATA = Path.of("../../shared/data");

  @TempDir Path folder;

  /** An engine on the backend under test. */
  abstract Engine open(EngineOptions options);

  private Engine engine(int partitions) {
    return open(EngineOptions.defaults().planning(p -> p.withPartitions(partitions)));
  }

  EngineTensor read(Engine engine, SparseEntries entries) throws IOException {
    return entries.read(engine, folder, ValueType.DOUBLE);
  }

  /** All cells of a tensor of known factors, with Gaussian noise of relative norm {@code noise}. */
  private static SparseEntries planted(double[][][] factors, double noise, long seed) {
    int rank = factors[0][0].length;
    SparseEntries tensor =
        SparseEntries.empty(factors[0].length, factors[1].length, factors[2].length);
    Random random = new Random(seed);
    double square = 0;
    for (int i = 0; i < factors[0].length; i++) {
      for (int j = 0; j < factors[1].length; j++) {
        for (int k = 0; k < factors[2].length; k++) {
          double value = 0;
          for (int r = 0; r < rank; r++) {
            value += factors[0][i][r] * factors[1][j][r] * factors[2][k][r];
          }
          square += value * value;
          tensor.add(value, i, j, k);
        }
      }
    }
    double scale = noise * Math.sqrt(square / tensor.values().size());
    tensor.values().replaceAll(value -> value + scale * random.nextGaussian());
    return tensor;
  }

  private static double[][][] factors(int rank, boolean nonnegative, long seed, int... sizes) {
    Random random = new Random(seed);
    double[][][] factors = new double[sizes.length][][];
    for (int m = 0; m < sizes.length; m++) {
      factors[m] = new double[sizes[m]][rank];
      for (double[] row : factors[m]) {
        for (int r = 0; r < rank; r++) {
          row[r] = nonnegative ? random.nextDouble() : random.nextGaussian();
        }
      }
    }
    return factors;
  }

  /** Factor match score: the mean over components, greedily paired, of the product of cosines. */
  private static double matchScore(double[][][] truth, List<DenseMatrix> found) {
    int rank = truth[0][0].length;
    List<Integer> free = new ArrayList<>();
    for (int r = 0; r < rank; r++) {
      free.add(r);
    }
    double total = 0;
    for (int s = 0; s < rank; s++) {
      double best = -1;
      Integer pick = free.get(0);
      for (Integer r : free) {
        double score = 1;
        for (int m = 0; m < truth.length; m++) {
          score *= Math.abs(cosine(truth[m], s, found.get(m), r));
        }
        if (score > best) {
          best = score;
          pick = r;
        }
      }
      free.remove(pick);
      total += best;
    }
    return total / rank;
  }

  private static double cosine(double[][] a, int s, DenseMatrix b, int r) {
    double inner = 0;
    double aa = 0;
    double bb = 0;
    for (int i = 0; i < a.length; i++) {
      inner += a[i][s] * b.get(i, r);
      aa += a[i][s] * a[i][s];
      bb += b.get(i, r) * b.get(i, r);
    }
    return inner / Math.sqrt(aa * bb);
  }

  @Test
  void plantedFactorsAreRecoveredUnderNoise() throws IOException {
    double[][][] truth = factors(4, false, 31, 25, 20, 15);
    try (Engine engine = engine(3)) {
      EngineTensor tensor = read(engine, planted(truth, 0.01, 32));
      // ALS finds local optima; as usual the best of several starts counts.
      CpdResult best = null;
      for (int seed = 1; seed <= 4 && (best == null || last(best) < 0.985); seed++) {
        Cpd job = new Cpd(4, 60, 1e-6, false, seed, ValueType.DOUBLE);
        CpdResult result = engine.cpd(tensor, job, ProgressListener.NONE);
        best = best == null || last(result) > last(best) ? result : best;
      }
      assertThat(matchScore(truth, best.factors())).isGreaterThan(0.99);
    }
  }

  private static double last(CpdResult result) {
    return result.fits().get(result.fits().size() - 1);
  }

  @Test
  void plantedNonnegativeFactorsAreRecoveredUnderNoise() throws IOException {
    double[][][] truth = factors(3, true, 41, 25, 20, 15);
    try (Engine engine = engine(3)) {
      EngineTensor tensor = read(engine, planted(truth, 0.01, 42));
      CpdResult result =
          engine.cpd(
              tensor, new Cpd(3, 200, 1e-6, true, 6, ValueType.DOUBLE), ProgressListener.NONE);
      assertThat(matchScore(truth, result.factors())).isGreaterThan(0.99);
    }
  }

  @Test
  void theTimeToWriteFactorsIsInTheReport() throws IOException {
    SparseEntries entries = SparseEntries.random(53, 3000, 40, 30, 20);
    Cpd job = new Cpd(5, 2, 0, false, 9, ValueType.DOUBLE);
    try (Engine engine = engine(3, Forms.ALL)) {
      String file = folder.resolve("mode0.npy").toString();
      JobReport report =
          engine
              .cpd(
                  read(engine, entries),
                  job,
                  Checkpoints.NONE,
                  ProgressListener.NONE,
                  (model, site) -> site.write(model.factors().subList(0, 1), List.of(file)))
              .report();
      assertThat(report.phaseNanos().get("write")).isPositive();
    }
  }

  /** Whether the kernels of a pass ran one after another, or several at a time. */
  @ParameterizedTest
  @ValueSource(strings = {"ALL", "ONE"})
  void theTimesOfThePassesAddUpToTheTimeOfTheKernels(Forms forms) throws IOException {
    int iterations = 3;
    Cpd job = new Cpd(5, iterations, 0, false, 9, ValueType.DOUBLE);
    try (Engine engine = engine(4, forms)) {
      EngineTensor tensor = read(engine, SparseEntries.random(61, 3000, 40, 30, 20));
      JobReport report = engine.cpd(tensor, job, ProgressListener.NONE).report();
      double passes =
          report.steps().stream().mapToDouble(StepReport::measuredSeconds).sum() * iterations;
      double kernels = report.phaseNanos().get("kernel") * 1e-9;
      assertThat(passes).isCloseTo(kernels, within(1e-6));
    }
  }

  @Test
  void theSameSeedGivesTheSameBitsAndAnotherDoesNot() throws IOException {
    SparseEntries entries = SparseEntries.random(51, 4000, 40, 30, 20);
    Cpd job = new Cpd(6, 5, 0, false, 9, ValueType.DOUBLE);
    List<CpdResult> results = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      try (Engine engine = engine(5)) {
        results.add(engine.cpd(read(engine, entries), job, ProgressListener.NONE));
      }
    }
    assertThat(results.get(0).fits()).isEqualTo(results.get(1).fits());
    assertThat(results.get(0).lambda()).containsExactly(results.get(1).lambda());
    for (int m = 0; m < 3; m++) {
      DenseMatrix one = results.get(0).factors().get(m);
      DenseMatrix two = results.get(1).factors().get(m);
      for (int c = 0; c < one.chunkCount(); c++) {
        assertThat(one.chunk(c)).containsExactly(two.chunk(c));
      }
    }
  }

  /** Two kernels take 8 of the 23 columns at a time; copies follow the factors. */
  @Test
  void panelsGiveTheSameFactors() throws IOException {
    SparseEntries entries = SparseEntries.random(59, 100_000, 60, 50, 700);
    Cpd job = new Cpd(23, 4, 0, false, 9, ValueType.DOUBLE);
    MachineParameters narrow = MachineParameters.defaults().withCore(128, 64 << 10, 8 << 20);
    EngineOptions options =
        EngineOptions.defaults().planning(p -> p.withPartitions(2).withMachine(narrow));
    try (Engine panels = open(options);
        Engine rows = engine(2, Forms.ONE)) {
      EngineTensor tensor = read(panels, entries);
      assertThat(panels.plan(tensor, job.job(tensor.statistics().shape())).modes())
          .extracting(pass -> pass.kernel().panel())
          .containsExactly(8, 8, 23);
      CpdResult found = panels.cpd(tensor, job, ProgressListener.NONE);
      assertSame(rows.cpd(read(rows, entries), job, ProgressListener.NONE), found, 1e-9);
    }
  }

  private Engine engine(int partitions, Forms forms) {
    return open(
        EngineOptions.defaults().planning(p -> p.withPartitions(partitions).withForms(forms)));
  }

  /** One form takes a third of the memory, or less. Tiles of a grid share rows of every mode. */
  @ParameterizedTest
  @CsvSource("25 9 14 11, DOUBLE, true, 1e-9")
  void allFormsGiveTheSameFactors(
      String shape, ValueType type, boolean nonnegative, double tolerance) throws IOException {
    long[] sizes = Arrays.stream(shape.split(" ")).mapToLong(Long::parseLong).toArray();
    SparseEntries entries = SparseEntries.random(53, sizes.length == 1 ? 40 : 3000, sizes);
    Cpd job = new Cpd(5, Planted.LONG ? 4 : 2, 0, nonnegative, 9, type);
    List<CpdResult> results = new ArrayList<>();
    List<Long> bytes = new ArrayList<>();
    for (Forms forms : List.of(Forms.ALL, Forms.ONE, Forms.ONE, Forms.GRID, Forms.GRID)) {
      try (Engine engine = engine(6, forms)) {
        EngineTensor tensor = read(engine, entries);
        results.add(engine.cpd(tensor, job, ProgressListener.NONE));
        bytes.add(tensor.residentBytes());
      }
    }
    assertSame(results.get(0), results.get(1), tolerance);
    assertSame(results.get(1), results.get(2), 0);
    assertSame(results.get(0), results.get(3), tolerance);
    assertSame(results.get(3), results.get(4), 0);
    if (sizes.length > 1 && sizes[0] > 1) {
      assertThat(bytes.get(1)).isLessThan(bytes.get(0) * 5 / 4 / sizes.length);
    }
  }

  @Tag("long")
  @ParameterizedTest
  @CsvSource({
    "40 30 20, DOUBLE, false, 1e-9",
    "40 30 20, FLOAT, false, 1e-3",
    "8 9 7 6 5, DOUBLE, false, 1e-9",
    "1 40 30, DOUBLE, true, 1e-9",
    "25 9 14 11, DOUBLE, false, 1e-9",
    "50 60, DOUBLE, false, 1e-9",
    "70, DOUBLE, false, 1e-9"
  })
  void allFormsOfOtherShapesGiveTheSameFactors(
      String shape, ValueType type, boolean nonnegative, double tolerance) throws IOException {
    allFormsGiveTheSameFactors(shape, type, nonnegative, tolerance);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"umls", "nations"})
  void allFormsOfRealTensorsGiveTheSameFactors(String name) {
    Path file = DATA.resolve(name + ".tns.gz");
    assumeTrue(Files.exists(file), () -> "skipped: there is no " + file.toAbsolutePath());
    Cpd job = new Cpd(8, 5, 0, false, 3, ValueType.DOUBLE);
    List<CpdResult> results = new ArrayList<>();
    for (Forms forms : List.of(Forms.ALL, Forms.ONE, Forms.GRID)) {
      try (Engine engine = engine(8, forms)) {
        EngineTensor tensor =
            engine.read(file.toString(), ReadOptions.defaults(), ValueType.DOUBLE);
        results.add(engine.cpd(tensor, job, ProgressListener.NONE));
        assertThat(engine.plan(tensor, job.job(tensor.statistics().shape())).packedForms())
            .hasSize(forms == Forms.ONE ? 1 : tensor.statistics().shape().order());
      }
    }
    assertSame(results.get(0), results.get(1), 1e-9);
    assertSame(results.get(0), results.get(2), 1e-9);
  }

  /** Ranges of a partition's slices cut across blocks of rows; orders move slices between them. */
  @Test
  void allFormsTakeFetchedRowsAndOrders() throws IOException {
    SparseEntries entries = SparseEntries.random(54, 2000, 130, 70, 90);
    Relabelling shuffle =
        new Relabelling(
            Reorderers.named("random:3").reorder(TensorShape.of(entries.sizes()), List.of()));
    Cpd job = new Cpd(4, 3, 0, true, 9, ValueType.DOUBLE);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(5));
    List<CpdResult> results = new ArrayList<>();
    for (Forms forms : List.of(Forms.ALL, Forms.ONE, Forms.GRID)) {
      try (Engine engine = open(options.planning(p -> p.withForms(forms)))) {
        EngineTensor file = read(engine, entries);
        results.add(engine.cpd(file, job, ProgressListener.NONE));
        EngineTensor shuffled =
            engine.orders().apply(file, Ordering.given("a test", shuffle), false);
        results.add(engine.cpd(shuffled, job, ProgressListener.NONE));
      }
    }
    for (CpdResult result : results) {
      assertSame(results.get(0), result, 1e-9);
    }
  }

  /** A run that ends after three sweeps, and one that goes on from the state that it left. */
  @ParameterizedTest
  @CsvSource({"DOUBLE, false, false", "FLOAT, true, true"})
  void aRunGoesOnFromAStateWithTheSameBits(ValueType type, boolean nonnegative, boolean reordered)
      throws IOException {
    SparseEntries entries = SparseEntries.random(53, 2000, 30, 20, 25);
    Relabelling shuffle =
        new Relabelling(
            Reorderers.named("random:3").reorder(TensorShape.of(entries.sizes()), List.of()));
    Cpd job = new Cpd(4, 6, 0, nonnegative, 9, type);
    FileAccess files = FileAccess.plain();
    KeptStates keeping =
        new KeptStates(
            (site, name, rows) -> {
              String file = folder + "/" + name + ".npy";
              site.save(rows, file);
              return FileRows.of(NpyRows.open(files, file));
            });
    try (Engine engine = engine(3)) {
      EngineTensor file = entries.read(engine, folder, type);
      EngineTensor tensor =
          reordered ? engine.orders().apply(file, Ordering.given("a test", shuffle), false) : file;
      CpdResult expected = engine.cpd(tensor, job, keeping, ProgressListener.NONE);
      assertThat(keeping.states()).hasSize(6);
      Checkpoints later = keeping.from(3);
      CpdResult found = engine.cpd(tensor, job, later, ProgressListener.NONE);
      assertThat(found.fits()).isEqualTo(expected.fits());
      assertThat(found.lambda()).containsExactly(expected.lambda());
      assertSame(expected, found, 0);
      CpState ended = CpState.of(keeping.states().get(5));
      DenseMatrix last = ended.factors().get(1).collect();
      assertThat(last.rows()).isEqualTo(20);
      for (int i = 0; i < 20; i++) {
        assertThat(last.get(i, 2) * ended.scales()[1][2])
            .isEqualTo(expected.factors().get(1).get(i, 2));
      }
    }
  }

  private static void assertSame(CpdResult one, CpdResult other, double tolerance) {
    for (int sweep = 0; sweep < one.fits().size(); sweep++) {
      assertThat(one.fits().get(sweep)).isCloseTo(other.fits().get(sweep), within(tolerance));
    }
    for (int m = 0; m < one.factors().size(); m++) {
      DenseMatrix expected = one.factors().get(m);
      for (int i = 0; i < expected.rows(); i++) {
        for (int r = 0; r < expected.columns(); r++) {
          assertThat(other.factors().get(m).get(i, r))
              .isCloseTo(expected.get(i, r), within(tolerance));
        }
      }
    }
  }

  /** Sums change their order, so that bits differ; the rows must be those of the same slices. */
  @Test
  void relabelledTensorsGiveTheSameFactors() throws IOException {
    SparseEntries entries = SparseEntries.random(52, 2000, 30, 20, 25);
    Relabelling shuffle =
        new Relabelling(
            Reorderers.named("random:3").reorder(TensorShape.of(entries.sizes()), List.of()));
    Cpd job = new Cpd(4, 4, 0, false, 9, ValueType.DOUBLE);
    try (Engine engine = engine(3)) {
      EngineTensor file = read(engine, entries);
      CpdResult plain = engine.cpd(file, job, ProgressListener.NONE);
      CpdResult back =
          engine.cpd(
              engine.orders().apply(file, Ordering.given("a test", shuffle), false),
              job,
              ProgressListener.NONE);
      CpdResult kept =
          engine.cpd(
              engine.orders().apply(file, Ordering.given("a test", shuffle), true),
              job,
              ProgressListener.NONE);
      for (int m = 0; m < 3; m++) {
        DenseMatrix expected = plain.factors().get(m);
        for (int i = 0; i < expected.rows(); i++) {
          for (int r = 0; r < 4; r++) {
            double value = expected.get(i, r);
            assertThat(back.factors().get(m).get(i, r)).isCloseTo(value, within(1e-8));
            assertThat(kept.factors().get(m).get(shuffle.mode(m).apply(i), r))
                .isCloseTo(value, within(1e-8));
          }
        }
      }
      assertThat(back.report().nonzeros()).isEqualTo(plain.report().nonzeros());
    }
  }

  @Test
  void degenerateTensorsDoNotFail() throws IOException {
    List<SparseEntries> tensors =
        List.of(
            SparseEntries.empty(3, 4, 5),
            SparseEntries.empty(3, 4, 5).add(0, 1, 1, 1),
            SparseEntries.random(61, 20, 3, 1, 2),
            SparseEntries.random(62, 10, 12),
            SparseEntries.empty(3, 0, 2));
    for (SparseEntries entries : tensors) {
      for (boolean nonnegative : new boolean[] {false, true}) {
        try (Engine engine = engine(2)) {
          CpdResult result =
              engine.cpd(
                  read(engine, entries),
                  new Cpd(7, 2, 0, nonnegative, 1, ValueType.DOUBLE),
                  ProgressListener.NONE);
          assertThat(result.fits()).hasSize(2).allMatch(fit -> !Double.isNaN(fit));
          assertThat(result.factors()).hasSize(entries.order());
        }
      }
    }
  }

  @Test
  void aminoacidHasItsThreeComponents() {
    Path file = DATA.resolve("aminoacid.tns.gz");
    assumeTrue(Files.exists(file), () -> "skipped: there is no " + file.toAbsolutePath());
    try (Engine engine = engine(0)) {
      EngineTensor tensor = engine.read(file.toString(), ReadOptions.defaults(), ValueType.DOUBLE);
      CpdResult result =
          engine.cpd(
              tensor, new Cpd(3, 200, 1e-5, false, 3, ValueType.DOUBLE), ProgressListener.NONE);
      assertThat(result.fits().get(result.fits().size() - 1)).isGreaterThan(0.97);
    }
  }
}
