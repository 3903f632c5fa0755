package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.decomposition.cp.CpHistory;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.cp.StreamingUpdate;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.entries.NewEntries;
import org.weft.engine.local.LocalBackend;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Models of planted tensors that grow. */
class StreamingUpdateTest {
  private static final int RANK = 3;

  /** A model after an update, with the fit of the new cells. */
  private record Updated(CpHistory history, double fit) {}

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
  }

  private static Engine local() {
    return LocalBackend.engine(
        FileAccess.local(), EngineOptions.defaults().planning(p -> p.withPartitions(3)));
  }

  private static Cpd cpd(boolean nonnegative) {
    return new Cpd(RANK, 200, 1e-9, nonnegative, 7, ValueType.DOUBLE);
  }

  /** The entries of a box. */
  private static EngineTensor box(Engine engine, CooBlock entries, TensorShape box) {
    int[] inside =
        IntStream.range(0, entries.size())
            .filter(
                e ->
                    IntStream.range(0, box.order())
                        .allMatch(mode -> entries.coordinate(mode, e) < box.size(mode)))
            .toArray();
    return engine.of("box", box, List.of(entries.select(inside)), ValueType.DOUBLE);
  }

  /** The first of a few starts that is not in a local optimum: noise is less than 2 percent. */
  private static CpHistory begun(
      Engine engine, CooBlock entries, TensorShape shape, boolean nonnegative) {
    EngineTensor tensor = box(engine, entries, shape);
    CpdResult best = engine.cpd(tensor, cpd(nonnegative), ProgressListener.NONE);
    for (int start = 1; last(best.fits()) < 0.98 && start < 5; start++) {
      Cpd other = cpd(nonnegative).withSeed(start);
      CpdResult next = engine.cpd(tensor, other, ProgressListener.NONE);
      best = last(next.fits()) > last(best.fits()) ? next : best;
    }
    return new CpHistory(sources(best.factors()), best.lambda(), new double[0][]);
  }

  private static double last(List<Double> fits) {
    return fits.get(fits.size() - 1);
  }

  private static Updated appended(
      Engine engine,
      CooBlock entries,
      TensorShape shape,
      CpHistory history,
      double forget,
      boolean nonnegative) {
    EngineTensor all = box(engine, entries, shape);
    EngineTensor fresh = engine.select(all, "new", shape, NewEntries.outside(history.shape()));
    List<DenseMatrix> factors = new ArrayList<>();
    StreamingUpdate.Model model =
        engine
            .run(
                fresh,
                new StreamingUpdate(cpd(nonnegative), history, forget),
                ProgressListener.NONE,
                (found, site) -> {
                  factors.clear();
                  found.factors().forEach(factor -> factors.add(site.result(factor)));
                })
            .model();
    CpHistory updated = new CpHistory(sources(factors), model.lambda(), model.information());
    return new Updated(updated, last(model.fits()));
  }

  private static List<RowSource> sources(List<DenseMatrix> factors) {
    return factors.stream().map(RowSource::of).toList();
  }

  private static List<DenseMatrix> factors(CpHistory model) {
    return model.factors().stream().map(RowSource::collect).toList();
  }

  /** The fit of a model to a box, by loops over cells. */
  private static double fit(CooBlock entries, CpHistory model) {
    List<DenseMatrix> factors = new ArrayList<>(factors(model));
    DenseMatrix first = factors.get(0).copy();
    Planted.scale(first, model.lambda());
    factors.set(0, first);
    double error = 0;
    double norm = 0;
    for (int e = 0; e < entries.size(); e++) {
      int entry = e;
      boolean inside =
          IntStream.range(0, factors.size())
              .allMatch(m -> entries.coordinate(m, entry) < factors.get(m).rows());
      if (inside) {
        error += Math.pow(entries.value(e) - Planted.value(factors, entries, e), 2);
        norm += Math.pow(entries.value(e), 2);
      }
    }
    return 1 - Math.sqrt(error / norm);
  }

  private static TensorShape shape(String sizes) {
    return TensorShape.of(Arrays.stream(sizes.split("x")).mapToLong(Long::parseLong).toArray());
  }

  /**
   * Every cell is observed, so that the fit over entries is that over cells. The last box is the
   * planted tensor.
   */
  @ParameterizedTest
  @CsvSource({
    "12x11x14 12x11x18 12x11x22 12x11x26, 0.98, false",
    "12x11x14 12x11x18 12x11x22 12x11x26, 1, true",
    "8x7x9 10x8x10 10x11x14 13x12x16, 1, false",
    "8x7x9 10x8x10 10x11x14 13x12x16, 0.9, true",
    "6x5x6x4 6x6x8x4 8x6x9x5, 0.98, false",
  })
  void modelsGrowWithTheirTensors(String boxes, double forget, boolean nonnegative) {
    TensorShape[] shapes =
        Arrays.stream(boxes.split(" ")).map(s -> shape(s)).toArray(TensorShape[]::new);
    TensorShape last = shapes[shapes.length - 1];
    int recovered = 0;
    for (int seed = 0; seed < Planted.SEEDS; seed++) {
      int[] sizes = LongStream.of(last.toArray()).mapToInt(Math::toIntExact).toArray();
      Planted planted =
          (nonnegative ? Planted.nonnegative(seed, RANK, sizes) : Planted.normal(seed, RANK, sizes))
              .observed(1, 0.01);
      CooBlock entries = planted.entries();
      try (Engine engine = local()) {
        CpHistory model = begun(engine, entries, shapes[0], nonnegative);
        Updated updated = new Updated(model, 0);
        for (int box = 1; box < shapes.length; box++) {
          updated = appended(engine, entries, shapes[box], updated.history(), forget, nonnegative);
        }
        double scratch = fit(entries, begun(engine, entries, last, nonnegative));
        boolean near = fit(entries, updated.history()) > scratch - 0.005;
        recovered += near && planted.match(factors(updated.history())) > 0.98 ? 1 : 0;
      }
    }
    Planted.requireMost(
        boxes + ", forget " + forget + (nonnegative ? ", nonnegative" : ""), recovered);
  }

  @Test
  void theFitIsThatOfTheNewCells() {
    Planted planted = Planted.normal(2, RANK, 9, 8, 14).observed(1, 0.3);
    CooBlock entries = planted.entries();
    try (Engine engine = local()) {
      CpHistory model = begun(engine, entries, TensorShape.of(7, 8, 9), false);
      Updated updated = appended(engine, entries, TensorShape.of(9, 8, 14), model, 1, false);
      int[] outside =
          IntStream.range(0, entries.size())
              .filter(e -> entries.coordinate(0, e) >= 7 || entries.coordinate(2, e) >= 9)
              .toArray();
      assertThat(updated.fit())
          .isCloseTo(fit(entries.select(outside), updated.history()), within(1e-12));
    }
  }

  /** Slices of another model follow: what forgets the past fits them better, and the past worse. */
  @Test
  void theForgettingFactorWeighsThePast() {
    Planted before = Planted.normal(1, RANK, 9, 8, 10).observed(1, 0.01);
    Planted after = Planted.normal(2, RANK, 9, 8, 12).observed(1, 0.01);
    try (Engine engine = local()) {
      CpHistory model = begun(engine, before.entries(), TensorShape.of(9, 8, 10), false);
      Updated keeps = appended(engine, after.entries(), TensorShape.of(9, 8, 12), model, 1, false);
      Updated forgets =
          appended(engine, after.entries(), TensorShape.of(9, 8, 12), model, 0.01, false);
      assertThat(forgets.fit()).isGreaterThan(keeps.fit() + 0.1);
      assertThat(fit(before.entries(), forgets.history()))
          .isLessThan(fit(before.entries(), keeps.history()) - 0.1);
    }
  }

  /** By its definition: Q_n of a model is how the loss of its own tensor grows with the factor. */
  @Test
  void withoutForgettingTheInformationIsTheHadamardProductOfGramMatrices() {
    Planted planted = Planted.normal(5, RANK, 7, 6, 12).observed(1, 0);
    try (Engine engine = local()) {
      CpHistory model = begun(engine, planted.entries(), TensorShape.of(7, 6, 9), false);
      CpHistory made =
          appended(engine, planted.entries(), TensorShape.of(7, 6, 12), model, 1, false).history();
      for (int r = 0; r < RANK; r++) {
        for (int s = 0; s < RANK; s++) {
          double expected = gram(factors(made).get(1), r, s) * gram(factors(made).get(2), r, s);
          assertThat(made.information()[0][r * RANK + s]).isCloseTo(expected, within(0.01));
        }
      }
    }
  }

  private static double gram(DenseMatrix factor, int r, int s) {
    double sum = 0;
    for (long i = 0; i < factor.rows(); i++) {
      sum += factor.get(i, r) * factor.get(i, s);
    }
    return sum;
  }

  @Test
  void executorsMakeTheSameModel() {
    CooBlock entries = Planted.normal(4, RANK, 10, 9, 16).observed(0.6, 0.1).entries();
    CpHistory model;
    Updated here;
    try (Engine engine = local()) {
      model = begun(engine, entries, TensorShape.of(8, 9, 12), false);
      here = appended(engine, entries, TensorShape.of(10, 9, 16), model, 0.95, false);
    }
    try (Engine engine =
        SparkEngine.create(
            LocalSpark.context(), EngineOptions.defaults().planning(p -> p.withPartitions(3)))) {
      Updated there = appended(engine, entries, TensorShape.of(10, 9, 16), model, 0.95, false);
      assertThat(there.fit()).isCloseTo(here.fit(), within(1e-10));
      for (int mode = 0; mode < 3; mode++) {
        assertThat(factors(there.history()).get(mode).chunk(0))
            .containsExactly(factors(here.history()).get(mode).chunk(0), within(1e-10));
        assertThat(there.history().information()[mode])
            .containsExactly(here.history().information()[mode], within(1e-10));
      }
    }
  }

  @Test
  void whatCannotBeAppendedIsRefused() {
    CpHistory model =
        new CpHistory(
            sources(
                List.of(
                    DenseMatrix.random(4, RANK, 1),
                    DenseMatrix.random(5, RANK, 2),
                    DenseMatrix.random(6, RANK, 3))),
            new double[] {1, 1, 1},
            new double[0][]);
    StreamingUpdate update = new StreamingUpdate(cpd(false), model, 1);
    for (TensorShape wrong :
        List.of(TensorShape.of(4, 5, 6), TensorShape.of(4, 4, 7), TensorShape.of(4, 5))) {
      assertThatThrownBy(() -> update.check(wrong))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("expected a tensor that has grown beyond the model's");
    }
    assertThatThrownBy(() -> new StreamingUpdate(cpd(false), model, 0))
        .hasMessageContaining("forgetting factor");
    Cpd other = new Cpd(2, 5, 0, false, 0, ValueType.DOUBLE);
    assertThatThrownBy(() -> new StreamingUpdate(other, model, 1))
        .hasMessageContaining("expected the rank of the model, 3, found 2");
  }
}
