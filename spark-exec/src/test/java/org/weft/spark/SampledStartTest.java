package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.cp.CpState;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.cp.Leverage;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.Ordering;
import org.weft.engine.ProgressListener;
import org.weft.engine.SampledStart;
import org.weft.engine.local.LocalBackend;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Decompositions that start from the slices with the highest scores. */
class SampledStartTest {
  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
  }

  private static Engine local() {
    return LocalBackend.engine(FileAccess.local(), EngineOptions.defaults());
  }

  private static Cpd cpd(int rank, int iterations, boolean nonnegative, long seed) {
    return new Cpd(rank, iterations, 1e-6, nonnegative, seed, ValueType.DOUBLE);
  }

  private static CpdResult run(Engine engine, EngineTensor tensor, Cpd cpd, double share) {
    SampledStart.Found found =
        SampledStart.of(tensor, cpd, share)
            .orElseThrow()
            .find(engine, tensor, cpd, ProgressListener.NONE);
    assertThat(found.sample().entries()).isPositive().isLessThan(tensor.statistics().entries() / 2);
    Checkpoints run = Checkpoints.from(Optional.of(found.state().begun()));
    Cpd whole = cpd.withIterations(cpd.nonnegative() ? 10 : 2);
    return engine.cpd(tensor, whole, run, ProgressListener.NONE);
  }

  /** Entries at coordinates whose logarithms are even: few slices have most of them. */
  private static CooBlock skewed(long seed, int entries, int... sizes) {
    Random random = new Random(seed);
    CooBlock.Builder block = new CooBlock.Builder(sizes.length, entries);
    for (int e = 0; e < entries; e++) {
      block.add(
          Arrays.stream(sizes)
              .mapToLong(size -> (long) Math.pow(size, random.nextDouble()) % size)
              .toArray(),
          1 + random.nextDouble());
    }
    return block.build();
  }

  private static EngineTensor tensor(Engine engine, CooBlock entries, long... sizes) {
    return engine.of("x", TensorShape.of(sizes), List.of(entries), ValueType.DOUBLE);
  }

  private static double last(CpdResult result) {
    return result.fits().get(result.fits().size() - 1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void recoversAPlantedModelFromATenthOfItsCells(boolean nonnegative) {
    int recovered = 0;
    for (int seed = 0; seed < Planted.SEEDS; seed++) {
      Planted planted =
          (nonnegative
                  ? Planted.nonnegative(seed, 3, 100, 90, 80)
                  : Planted.normal(seed, 3, 100, 90, 80))
              .observed(1, 0.01);
      CpdResult best = null;
      try (Engine engine = local()) {
        EngineTensor tensor = tensor(engine, planted.entries(), planted.sizes());
        for (int start = 0; start < 5 && (best == null || last(best) < 0.98); start++) {
          // local optima
          CpdResult result = run(engine, tensor, cpd(3, 200, nonnegative, seed * 10L + start), 0.1);
          best = best == null || last(result) > last(best) ? result : best;
        }
      }
      boolean near = Math.abs(last(best) - 0.99) < 0.001;
      recovered += near && planted.match(best.factors()) > 0.98 ? 1 : 0;
    }
    Planted.requireMost("a sample, " + (nonnegative ? "nonnegative" : "any sign"), recovered);
  }

  @Test
  void reachesTheFitOfTwentyExactIterationsInTwo() {
    int[] sizes = {2000, 1500, 3000};
    try (Engine engine = local()) {
      EngineTensor tensor = tensor(engine, skewed(3, 40_000, sizes), 2000, 1500, 3000);
      CpdResult exact = engine.cpd(tensor, cpd(8, 20, false, 1), ProgressListener.NONE);
      CpdResult sampled = run(engine, tensor, cpd(8, 50, false, 1), 0.1);
      assertThat(sampled.fits()).hasSizeLessThanOrEqualTo(2);
      assertThat(last(sampled)).isGreaterThan(0.98 * last(exact));
    }
  }

  @Test
  void executorsFindWhatOneProcessFindsWhateverTheOrder() {
    int[] sizes = {300, 250, 400};
    CooBlock entries = skewed(5, 6000, sizes);
    Cpd cpd = cpd(3, 6, false, 4);
    CpdResult one;
    CpdResult again;
    CpdResult moved;
    try (Engine engine = local()) {
      EngineTensor tensor = tensor(engine, entries, 300, 250, 400);
      one = run(engine, tensor, cpd, 0.1);
      again = run(engine, tensor, cpd, 0.1);
      Relabelling shuffle =
          new Relabelling(
              Reorderers.named("random:3").reorder(TensorShape.of(300, 250, 400), List.of()));
      Ordering order = Ordering.given("a test", shuffle);
      moved = run(engine, engine.orders().apply(tensor, order, false), cpd, 0.1);
    }
    CpdResult spread;
    try (Engine engine = SparkEngine.create(LocalSpark.context(), EngineOptions.defaults())) {
      spread = run(engine, tensor(engine, entries, 300, 250, 400), cpd, 0.1);
    }
    assertThat(again.fits()).isEqualTo(one.fits());
    assertThat(again.lambda()).isEqualTo(one.lambda());
    for (CpdResult other : List.of(moved, spread)) {
      assertThat(last(other)).isCloseTo(last(one), within(1e-10));
      assertThat(other.lambda()).containsExactly(one.lambda(), within(1e-8 * one.norm()));
    }
  }

  @Test
  void leverageIsThatOfTheFactorsRows() {
    CooBlock entries = skewed(7, 3000, 60, 50, 40);
    List<DenseMatrix> here = new ArrayList<>();
    List<DenseMatrix> there = new ArrayList<>();
    try (Engine engine = local()) {
      here.addAll(checkedLeverage(engine, tensor(engine, entries, 60, 50, 40)));
    }
    try (Engine engine = SparkEngine.create(LocalSpark.context(), EngineOptions.defaults())) {
      there.addAll(checkedLeverage(engine, tensor(engine, entries, 60, 50, 40)));
    }
    for (int mode = 0; mode < 3; mode++) {
      for (int row = 0; row < here.get(mode).rows(); row++) {
        assertThat(there.get(mode).get(row, 0)).isCloseTo(here.get(mode).get(row, 0), within(1e-9));
      }
    }
  }

  private static List<DenseMatrix> checkedLeverage(Engine engine, EngineTensor tensor) {
    Cpd cpd = cpd(4, 3, false, 2);
    List<DenseMatrix> all = new ArrayList<>();
    engine.cpd(
        tensor,
        cpd,
        Checkpoints.NONE,
        ProgressListener.NONE,
        (model, site) -> {
          all.clear();
          for (Factor factor : model.factors()) {
            DMatrixRMaj a = matrix(site.collect(factor.rows()));
            DenseMatrix scores = Leverage.scores(site, factor.rows(), cpd.algebra());
            DMatrixRMaj hat = new DMatrixRMaj(a.numRows, a.numRows);
            DMatrixRMaj inverse = new DMatrixRMaj(a.numCols, a.numRows);
            CommonOps_DDRM.pinv(a, inverse);
            CommonOps_DDRM.mult(a, inverse, hat);
            assertThat(scores.rows()).isEqualTo(a.numRows);
            for (int row = 0; row < a.numRows; row++) {
              assertThat(scores.get(row, 0)).isCloseTo(hat.get(row, row), within(1e-9));
            }
            all.add(scores);
          }
        });
    return all;
  }

  private static DMatrixRMaj matrix(DenseMatrix rows) {
    DMatrixRMaj matrix = new DMatrixRMaj((int) rows.rows(), rows.columns());
    matrix.data =
        IntStream.range(0, matrix.getNumElements())
            .mapToDouble(at -> rows.get(at / rows.columns(), at % rows.columns()))
            .toArray();
    return matrix;
  }

  /** Slices of many small entries come first, those of few large ones are what counts. */
  @Test
  void theLastSampleHasTheSlicesOfHighestLeverage() {
    CooBlock.Builder block = new CooBlock.Builder(2, 16);
    for (int i = 0; i < 80; i++) {
      for (int j = 0; j < (i < 40 ? 40 : 10); j++) {
        block.add(new long[] {i, j}, i < 40 ? 1e-3 : 1 + j);
      }
    }
    try (Engine engine = local()) {
      EngineTensor tensor = tensor(engine, block.build(), 80, 40);
      SampledStart start = SampledStart.of(tensor, cpd(1, 5, false, 1), 0.2).orElseThrow();
      assertThat(IntStream.range(40, 80).filter(i -> start.box().modes().get(0).number(i) >= 0))
          .isEmpty();
      SampledStart.Found found =
          start.find(engine, tensor, cpd(1, 5, false, 1), ProgressListener.NONE);
      DenseMatrix rows = found.state().factors().get(0).collect();
      // They hold fewer entries than a sample has, and others make up for that.
      assertThat(IntStream.range(40, 80)).allMatch(i -> rows.get(i, 0) != 0);
      assertThat(IntStream.range(0, 40).filter(i -> rows.get(i, 0) != 0)).hasSizeBetween(1, 20);
    }
  }

  /** Slices without entries have rows of zeros; so have those outside of the sample, at first. */
  @Test
  void theStartHasRowsOfTheSampleOnly() {
    CooBlock.Builder block = new CooBlock.Builder(2, 16);
    for (int i = 0; i < 60; i++) {
      for (int j = 0; j < (i % 2 == 0 ? 40 : 2); j++) {
        block.add(new long[] {i, j}, 1 + i * j);
      }
    }
    try (Engine engine = local()) {
      EngineTensor tensor = tensor(engine, block.build(), 61, 40);
      Cpd cpd = cpd(1, 5, false, 1);
      SampledStart.Found found =
          SampledStart.of(tensor, cpd, 0.2)
              .orElseThrow()
              .find(engine, tensor, cpd, ProgressListener.NONE);
      CpState state = found.state();
      assertThat(state.factors()).extracting(RowSource::rows).containsExactly(61L, 40L);
      DenseMatrix rows = state.factors().get(0).collect();
      long kept = IntStream.range(0, 61).filter(i -> rows.get(i, 0) != 0).count();
      assertThat(kept).isEqualTo(found.sample().shape().size(0)).isBetween(16L, 29L);
      assertThat(IntStream.range(0, 61).filter(i -> i % 2 == 1 || i == 60))
          .allMatch(i -> rows.get(i, 0) == 0);
      assertThat(SampledStart.of(tensor, cpd(8, 5, false, 1), 0.2)).isEmpty();
    }
  }
}
