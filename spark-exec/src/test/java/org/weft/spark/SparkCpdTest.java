package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.planner.Forms;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyRows;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/** The contract of CP-ALS on Spark. */
class SparkCpdTest extends CpdContract {
  private static final int SWEEPS = Planted.LONG ? 6 : 3;

  @Override
  Engine open(EngineOptions options) {
    return SparkEngine.create(LocalSpark.context(), options);
  }

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
  }

  @Tag("long")
  @Test
  @Override
  void plantedNonnegativeFactorsAreRecoveredUnderNoise() throws IOException {
    super.plantedNonnegativeFactorsAreRecoveredUnderNoise();
  }

  @Tag("long")
  @Test
  @Override
  void plantedFactorsAreRecoveredUnderNoise() throws IOException {
    super.plantedFactorsAreRecoveredUnderNoise();
  }

  @Tag("long")
  @Test
  @Override
  void allFormsTakeFetchedRowsAndOrders() throws IOException {
    super.allFormsTakeFetchedRowsAndOrders();
  }

  @Tag("long")
  @Test
  @Override
  void degenerateTensorsDoNotFail() throws IOException {
    super.degenerateTensorsDoNotFail();
  }

  @Tag("long")
  @Test
  @Override
  void theSameSeedGivesTheSameBitsAndAnotherDoesNot() throws IOException {
    super.theSameSeedGivesTheSameBitsAndAnotherDoesNot();
  }

  @ParameterizedTest
  @CsvSource("FLOAT, true, true")
  @Override
  void aRunGoesOnFromAStateWithTheSameBits(ValueType type, boolean nonnegative, boolean reordered)
      throws IOException {
    super.aRunGoesOnFromAStateWithTheSameBits(type, nonnegative, reordered);
  }

  @Tag("long")
  @Test
  void aPlainRunGoesOnFromAStateWithTheSameBits() throws IOException {
    super.aRunGoesOnFromAStateWithTheSameBits(ValueType.DOUBLE, false, false);
  }

  @Tag("long")
  @Test
  @Override
  void aminoacidHasItsThreeComponents() {
    super.aminoacidHasItsThreeComponents();
  }

  @ParameterizedTest
  @CsvSource("DOUBLE, true, 1e-9")
  void bothBackendsFindTheSame(ValueType type, boolean nonnegative, double tolerance)
      throws IOException {
    SparseEntries entries = SparseEntries.random(53, 3000, 30, 20, 10);
    Cpd job = new Cpd(4, SWEEPS, 0, nonnegative, 9, type);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(5));
    try (Engine spark = open(options);
        Engine local = LocalBackend.engine(FileAccess.local(), options)) {
      CpdResult there = spark.cpd(read(spark, entries), job, ProgressListener.NONE);
      CpdResult here = local.cpd(read(local, entries), job, ProgressListener.NONE);
      for (int i = 0; i < SWEEPS; i++) {
        assertThat(here.fits().get(i)).isCloseTo(there.fits().get(i), within(tolerance));
      }
    }
  }

  /** A slice of every mode is in several partitions: what they make of its row is added up. */
  @ParameterizedTest
  @CsvSource("DOUBLE, false, 1e-9")
  void splitSlicesGiveTheSame(ValueType type, boolean nonnegative, double tolerance)
      throws IOException {
    SparseEntries entries = SparseEntries.random(54, 1000, 30, 20, 10);
    for (int i = 0; i < 20; i++) {
      for (int j = 0; j < 10; j++) {
        entries.add(1 + i, 7, i, j);
        entries.add(2 + j, i, 3, j);
      }
    }
    Cpd job = new Cpd(4, SWEEPS, 0, nonnegative, 9, type);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(9));
    try (Engine spark = open(options);
        Engine local = LocalBackend.engine(FileAccess.local(), options)) {
      EngineTensor tensor = read(spark, entries);
      assertThat(spark.plan(tensor, job.job(tensor.statistics().shape())).modes())
          .anyMatch(pass -> pass.partitioning().anyOverlapping());
      CpdResult there = spark.cpd(tensor, job, ProgressListener.NONE);
      CpdResult here = local.cpd(read(local, entries), job, ProgressListener.NONE);
      for (int i = 0; i < SWEEPS; i++) {
        assertThat(here.fits().get(i)).isCloseTo(there.fits().get(i), within(tolerance));
      }
    }
  }

  /** Partitions are tiles of a grid, some of them empty, and share the rows of their layers. */
  @ParameterizedTest
  @CsvSource({"DOUBLE, false, 8, 1e-9", "FLOAT, true, 6, 1e-4"})
  void bothBackendsFindTheSameOnTiles(
      ValueType type, boolean nonnegative, int tiles, double tolerance) throws IOException {
    SparseEntries entries = SparseEntries.random(57, 100, 30, 20, 10);
    Cpd job = new Cpd(4, SWEEPS, 0, nonnegative, 9, type);
    EngineOptions options =
        EngineOptions.defaults().planning(p -> p.withPartitions(tiles).withForms(Forms.GRID));
    try (Engine spark = open(options);
        Engine local = LocalBackend.engine(FileAccess.local(), options)) {
      EngineTensor tensor = read(spark, entries);
      assertThat(spark.plan(tensor, job.job(tensor.statistics().shape())).modes())
          .allMatch(pass -> pass.partitioning().grid() != null);
      CpdResult there = spark.cpd(tensor, job, ProgressListener.NONE);
      CpdResult here = local.cpd(read(local, entries), job, ProgressListener.NONE);
      for (int i = 0; i < SWEEPS; i++) {
        assertThat(here.fits().get(i)).isCloseTo(there.fits().get(i), within(tolerance));
      }
    }
  }

  @Tag("long")
  @Test
  void bothBackendsFindTheSameInSinglePrecision() throws IOException {
    bothBackendsFindTheSame(ValueType.FLOAT, false, 1e-4);
    splitSlicesGiveTheSame(ValueType.FLOAT, true, 1e-4);
  }

  @Tag("long")
  @Test
  void bothBackendsFindTheSameOnTilesThatAreMostlyEmpty() throws IOException {
    bothBackendsFindTheSameOnTiles(ValueType.DOUBLE, false, 60, 1e-9);
  }

  /** The ranges of a mode's rows are stored in several blocks, and written a block at a time. */
  @Test
  void rowsOfLongRangesAreStoredInBlocks() throws IOException {
    SparseEntries entries = SparseEntries.random(56, 2000, 140_000, 9, 7);
    Cpd job = new Cpd(16, 2, 0, false, 9, ValueType.DOUBLE);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(2));
    String file = folder.resolve("mode0.npy").toUri().toString();
    FileAccess files = FileAccess.local();
    List<DenseMatrix> found = new ArrayList<>();
    try (Engine spark = open(options);
        Engine local = LocalBackend.engine(files, options)) {
      spark.cpd(
          read(spark, entries),
          job,
          Checkpoints.NONE,
          ProgressListener.NONE,
          (model, site) -> {
            assertThat(blocks()).hasSizeGreaterThan(6);
            site.write(model.factors().subList(0, 1), List.of(file));
            model.factors().forEach(factor -> found.add(site.result(factor)));
          });
      NpyRows written = NpyRows.open(files, file);
      assertThat(written.rows()).isEqualTo(140_000);
      List<DenseMatrix> expected =
          local.cpd(read(local, entries), job, ProgressListener.NONE).factors();
      double[] row = new double[16];
      double[] other = new double[16];
      List<Long> differ = new ArrayList<>();
      written.forEach(
          0,
          written.rows(),
          (i, values) -> {
            found.get(0).copyRow(i, row, 0);
            expected.get(0).copyRow(i, other, 0);
            boolean same = Arrays.equals(values, row);
            for (int r = 0; r < row.length; r++) {
              same &= Math.abs(row[r] - other[r]) < 1e-9;
            }
            if (!same) {
              differ.add(i);
            }
          });
      assertThat(differ).isEmpty();
    }
  }

  @Test
  void oneSparkJobWritesAllFactors() throws IOException, TimeoutException {
    SparseEntries entries = SparseEntries.random(57, 2000, 40, 30, 20);
    Cpd job = new Cpd(5, 2, 0, false, 9, ValueType.DOUBLE);
    List<String> uris =
        IntStream.range(0, 3)
            .mapToObj(mode -> folder.resolve("mode" + mode + ".npy").toUri().toString())
            .toList();
    List<DenseMatrix> found = new ArrayList<>();
    List<String> writing = new CopyOnWriteArrayList<>();
    SparkContext context = LocalSpark.context().sc();
    SparkListener listener = new WritingJobs(writing);
    context.addSparkListener(listener);
    try (Engine spark = open(EngineOptions.defaults().planning(p -> p.withPartitions(2)))) {
      spark.cpd(
          read(spark, entries),
          job,
          Checkpoints.NONE,
          ProgressListener.NONE,
          (model, site) -> {
            site.write(model.factors(), uris);
            model.factors().forEach(factor -> found.add(site.result(factor)));
          });
      context.listenerBus().waitUntilEmpty();
    } finally {
      context.removeSparkListener(listener);
    }
    assertThat(writing).singleElement().asString().contains("mode0.npy", "mode2.npy");
    for (int mode = 0; mode < 3; mode++) {
      DenseMatrix expected = found.get(mode);
      NpyRows written = NpyRows.open(FileAccess.local(), uris.get(mode));
      assertThat(written.rows()).isEqualTo(expected.rows());
      double[] row = new double[5];
      written.forEach(
          0,
          written.rows(),
          (i, values) -> {
            expected.copyRow(i, row, 0);
            assertThat(values).containsExactly(row);
          });
    }
  }

  /** What the Spark jobs that write do. */
  private static final class WritingJobs extends SparkListener {
    private final List<String> found;

    WritingJobs(List<String> found) {
      this.found = found;
    }

    @Override
    public void onJobStart(SparkListenerJobStart started) {
      String about = started.properties().getProperty("spark.job.description", "");
      if (about.contains(": write ")) {
        found.add(about);
      }
    }
  }

  private static List<BlockId> blocks() {
    List<BlockId> found = new ArrayList<>();
    SparkEnv.get()
        .blockManager()
        .getMatchingBlockIds(block -> block.name().contains("_factor"))
        .foreach(found::add);
    return found;
  }

  /** All rows of all factors vanish after the second iteration. */
  @Test
  void lostFactorsAreComputedAgain() throws IOException {
    SparseEntries entries = SparseEntries.random(55, 2000, 30, 20, 10);
    Cpd job = new Cpd(3, 4, 0, false, 9, ValueType.DOUBLE);
    try (Engine spark = open(EngineOptions.defaults().planning(p -> p.withPartitions(3)))) {
      EngineTensor tensor = read(spark, entries);
      CpdResult expected = spark.cpd(tensor, job, ProgressListener.NONE);
      LosingFactors losing = new LosingFactors();
      CpdResult found = spark.cpd(tensor, job, losing);
      assertThat(losing.iterations).containsExactly(1, 2, 1, 2, 3, 4);
      assertThat(found.fits()).isEqualTo(expected.fits());
      assertThat(found.lambda()).containsExactly(expected.lambda());
    }
  }

  private static final class LosingFactors implements ProgressListener {
    private final List<Integer> iterations = new ArrayList<>();

    @Override
    public void iteration(int number, double fit, double change, double seconds) {
      iterations.add(number);
      if (iterations.size() == 2) {
        BlockManager blocks = SparkEnv.get().blockManager();
        List<BlockId> factors = blocks();
        // Spark removes the blocks of earlier versions in the background: some may still be there.
        assertThat(factors).hasSizeGreaterThanOrEqualTo(9);
        factors.forEach(block -> blocks.removeBlock(block, true));
      }
    }
  }
}
