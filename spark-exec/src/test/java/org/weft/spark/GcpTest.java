package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.decomposition.gcp.Gcp;
import org.weft.decomposition.gcp.ZeroSamples;
import org.weft.decomposition.loss.Loss;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.entries.SampledZeros;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Generalised CP decompositions of small tensors. */
class GcpTest {
  private record Found(Gcp.Model model, List<DenseMatrix> factors) {}

  private static Engine local() {
    return LocalBackend.engine(
        FileAccess.local(), EngineOptions.defaults().planning(p -> p.withPartitions(5)));
  }

  private static EngineTensor tensor(Engine engine, Planted planted, boolean zeros) {
    TensorShape shape = TensorShape.of(planted.sizes());
    List<CooBlock> blocks = new ArrayList<>(List.of(planted.entries()));
    if (zeros) {
      blocks.add(SampledZeros.all(shape));
    }
    return engine.of("planted", shape, blocks, ValueType.DOUBLE);
  }

  private static Found run(Engine engine, EngineTensor tensor, Gcp method) {
    List<DenseMatrix> factors = new ArrayList<>();
    Gcp.Model found =
        engine
            .run(
                tensor,
                method,
                ProgressListener.NONE,
                KeptFactors.into(factors, Gcp.Model::factors))
            .model();
    return new Found(found, factors);
  }

  private static Gcp gcp(String loss, int rank, int iterations, double weight, long seed) {
    return gcp(loss, Gcp.Optimizer.ADAM, rank, iterations, weight, seed);
  }

  private static Gcp gcp(
      String loss, Gcp.Optimizer optimizer, int rank, int iterations, double weight, long seed) {
    return new Gcp(
        rank,
        Loss.parse(loss, false),
        optimizer,
        iterations,
        20,
        0.1,
        1e-6,
        weight,
        seed,
        ValueType.DOUBLE,
        Optional.empty());
  }

  /** What a cell draws for a loss, from a nonnegative model. */
  private static double drawn(String loss, double m, Random random) {
    return switch (loss) {
      case "bernoulli-odds" -> random.nextDouble() < 8 * m / (1 + 8 * m) ? 1 : 0;
      case "poisson", "negative-binomial:20" -> poisson(60 * m, random);
      case "gamma" -> m == 0 ? 0 : -(m) * Math.log(1 - random.nextDouble());
      case "rayleigh" -> m * Math.sqrt(-2 * Math.log(1 - random.nextDouble()) * 2 / Math.PI);
      default -> m + 0.01 * random.nextGaussian();
    };
  }

  /** As many as there are waits of length 1 on average within the mean. */
  private static double poisson(double mean, Random random) {
    int count = -1;
    for (double waited = 0; waited <= mean; count++) {
      waited -= Math.log(1 - random.nextDouble());
    }
    return count;
  }

  /**
   * Cells that are 0 or 1 say little: a cell of odds m has the Fisher information {@code 1 / (m (1
   * + m)^2)} about m, hence the nonzero numbers t of the factors have {@code F = sum_cells (dm/dt)
   * (dm/dt)^T / (m (1 + m)^2)}. The covariance of an unbiased estimate is at least the
   * pseudo-inverse of F (Cramer and Rao), which leaves the scales of the columns open. With {@code
   * e_n^2} its trace over the entries of a column orthogonal to the column, relative to the
   * column's square, the product of a component's cosines is about {@code prod_n (1 +
   * e_n^2)^(-1/2)} at best. For these models it is 0.95 to 0.967 at 30 x 25 x 20, of the worse
   * component, and 0.988 to 0.992 at 60 x 50 x 40. The other losses are far from their bounds.
   */
  @ParameterizedTest
  @CsvSource({
    "gaussian, ADAM, 30x25x20, 0.98",
    "bernoulli-odds, ADAM, 30x25x20, 0.93",
    "(x-m)^2, LBFGS, 30x25x20, 0.98"
  })
  void recoversPlantedModels(String loss, Gcp.Optimizer optimizer, String shape, double enough) {
    assumeTrue(shape.startsWith("30") || optimizer == Gcp.Optimizer.LBFGS || Planted.LONG);
    int[] sizes = Arrays.stream(shape.split("x")).mapToInt(Integer::parseInt).toArray();
    int recovered = 0;
    for (int seed = 0; seed < Planted.SEEDS; seed++) {
      Planted planted =
          Planted.nonnegative(seed, 2, sizes).drawn((m, random) -> drawn(loss, m, random));
      Found best = null;
      try (Engine engine = local()) {
        EngineTensor tensor = tensor(engine, planted, true);
        for (int start = 0; start < 2; start++) {
          Found found = run(engine, tensor, gcp(loss, optimizer, 2, 25, 1, seed * 10L + start));
          best = best == null || last(found) < last(best) ? found : best;
        }
      }
      double match = planted.match(best.factors());
      recovered += match > enough ? 1 : 0;
    }
    Planted.requireMost(loss + ", " + optimizer + ", " + shape, recovered);
  }

  /** The other cases of {@link #recoversPlantedModels}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({
    "poisson, ADAM, 30x25x20, 0.98",
    "poisson, LBFGS, 30x25x20, 0.98",
    "bernoulli-odds, LBFGS, 60x50x40, 0.98",
    "bernoulli-odds, ADAM, 60x50x40, 0.98",
    "huber:0.05, ADAM, 30x25x20, 0.98"
  })
  void recoversMorePlantedModels(
      String loss, Gcp.Optimizer optimizer, String shape, double enough) {
    recoversPlantedModels(loss, optimizer, shape, enough);
  }

  /**
   * Where slices are of very different sizes, the loss curves far more along the small numbers of
   * nonnegative factors than along the large ones.
   */
  @ParameterizedTest
  @CsvSource({
    "poisson, poisson, 0",
    "bernoulli-odds, bernoulli-odds, 0",
    "gamma, gamma, 0.1",
    "rayleigh, rayleigh, 0.1",
    "negative-binomial:20, poisson, 0",
    "beta:0.5, gamma, 0.1",
  })
  void quasiNewtonStepsGetAsFarAsAdam(String loss, String drawn, double least) {
    Planted planted =
        Planted.nonnegative(0, 3, 15, 12, 10)
            .longTailed()
            .drawn((m, random) -> drawn(drawn, m + least, random));
    int most = Planted.LONG ? 40 : 20;
    try (Engine engine = local()) {
      EngineTensor tensor = tensor(engine, planted, least == 0);
      double adam = last(run(engine, tensor, gcp(loss, Gcp.Optimizer.ADAM, 3, most, 1, 0)));
      double lbfgs = last(run(engine, tensor, gcp(loss, Gcp.Optimizer.LBFGS, 3, most, 1, 0)));
      assertThat(lbfgs).isLessThanOrEqualTo(adam + 1e-6 * Math.abs(adam));
    }
  }

  private static double last(Found found) {
    return found.model().losses().get(found.model().losses().size() - 1);
  }

  /** Kernels of loss and gradient beside formulas of this test, at a model of all signs. */
  @ParameterizedTest
  @CsvSource({
    "gaussian",
    "poisson",
    "bernoulli-odds",
    "bernoulli-logit",
    "gamma",
    "rayleigh",
    "huber:0.5",
    "negative-binomial:3",
    "beta:0.5",
    "abs(x-m)^3"
  })
  void lossesAreThoseOfTheBooks(String loss) {
    Planted planted =
        Planted.nonnegative(3, 2, 6, 5, 4)
            .drawn((m, random) -> loss.startsWith("bern") ? 1 : Math.ceil(3 * m + 0.1));
    try (Engine engine = local()) {
      Gcp method = gcp(loss, 2, 1, 1, 5);
      Found found = run(engine, tensor(engine, planted, true), method);
      Planted.scale(found.factors().get(0), found.model().lambda());
      double expected = 0;
      CooBlock dense = dense(planted);
      for (int e = 0; e < dense.size(); e++) {
        double m = Planted.value(found.factors(), dense, e);
        expected += book(loss).applyAsDouble(dense.value(e), m);
      }
      assertThat(last(found)).isCloseTo(expected, within(1e-7 * Math.abs(expected)));
      assertThat(found.model().failures()).isLessThan(2);
    }
  }

  private static CooBlock dense(Planted planted) {
    CooBlock entries = planted.entries();
    CooBlock zeros = SampledZeros.all(TensorShape.of(planted.sizes()));
    Map<List<Long>, Double> values = new HashMap<>();
    for (int e = 0; e < entries.size(); e++) {
      values.put(at(entries, e), entries.value(e));
    }
    CooBlock.Builder all = new CooBlock.Builder(3, zeros.size());
    for (int z = 0; z < zeros.size(); z++) {
      List<Long> at = at(zeros, z);
      all.add(new long[] {at.get(0), at.get(1), at.get(2)}, values.getOrDefault(at, 0.0));
    }
    return all.build();
  }

  private static List<Long> at(CooBlock block, int entry) {
    return List.of(
        block.coordinate(0, entry), block.coordinate(1, entry), block.coordinate(2, entry));
  }

  /** Kolda and Hong 2020, table 1, with logarithms of m + 1e-10. */
  private static DoubleBinaryOperator book(String loss) {
    double eps = 1e-10;
    return switch (loss) {
      case "gaussian" -> (x, m) -> (x - m) * (x - m);
      case "poisson" -> (x, m) -> m - x * Math.log(m + eps);
      case "bernoulli-odds" -> (x, m) -> Math.log1p(m) - x * Math.log(m + eps);
      case "bernoulli-logit" -> (x, m) -> Math.log1p(Math.exp(m)) - x * m;
      case "gamma" -> (x, m) -> x / (m + eps) + Math.log(m + eps);
      case "rayleigh" -> (x, m) -> 2 * Math.log(m + eps) + Math.PI / 4 * Math.pow(x / (m + eps), 2);
      case "huber:0.5" ->
          (x, m) -> Math.abs(x - m) < 0.5 ? (x - m) * (x - m) : Math.abs(x - m) - 0.25;
      case "negative-binomial:3" -> (x, m) -> (3 + x) * Math.log1p(m) - x * Math.log(m + eps);
      case "beta:0.5" -> (x, m) -> Math.sqrt(m + eps) / 0.5 - x * Math.pow(m + eps, -0.5) / -0.5;
      default -> (x, m) -> Math.pow(Math.abs(x - m), 3);
    };
  }

  private static ZeroSamples samples(Engine engine, EngineTensor entries, int each) {
    TensorShape shape = entries.statistics().shape();
    return (number, work) -> {
      EngineTensor drawn =
          engine.select(entries, "drawn", shape, SampledZeros.among(shape, each, 1, number));
      engine.run(drawn, work, ProgressListener.NONE, (done, site) -> {});
      engine.release(drawn);
    };
  }

  /** A model with nearly as many numbers as the sample has cells could learn the sample. */
  @ParameterizedTest
  @EnumSource
  void lossesAreThoseOfAllZerosThoughGradientsSeeFew(Gcp.Optimizer optimizer) {
    Planted planted =
        Planted.nonnegative(2, 2, 60, 50, 40)
            .drawn((m, random) -> random.nextDouble() < 0.03 * m ? 1 + random.nextInt(9) : 0);
    TensorShape shape = TensorShape.of(planted.sizes());
    CooBlock cells = dense(planted);
    Loss squares = Loss.parse("gaussian", false);
    try (Engine engine = local()) {
      EngineTensor entries = tensor(engine, planted, false);
      EngineTensor sample =
          engine.select(entries, "sample", shape, SampledZeros.among(shape, 8, 1));
      double weight = SampledZeros.weight(shape, planted.entries().size() * 8L);
      Optional<ZeroSamples> drawn = Optional.of(samples(engine, entries, 8));
      Gcp method =
          new Gcp(3, squares, optimizer, 60, 20, 0.05, 0, weight, 1, ValueType.DOUBLE, drawn);
      Found found = run(engine, sample, method);
      Planted.scale(found.factors().get(0), found.model().lambda());
      double loss = 0;
      for (int e = 0; e < cells.size(); e++) {
        loss += Math.pow(cells.value(e) - Planted.value(found.factors(), cells, e), 2);
      }
      assertThat(last(found)).isCloseTo(loss, within(0.05 * loss));
    }
  }

  /** A sample of zeros, weighted, finds nearly the model of all zeros. */
  @Test
  void sampledZerosStandForAll() {
    Planted planted =
        Planted.nonnegative(1, 2, 30, 25, 20)
            .drawn((m, random) -> random.nextDouble() < 0.6 * m ? 1 : 0);
    try (Engine engine = local()) {
      TensorShape shape = TensorShape.of(planted.sizes());
      EngineTensor entries = tensor(engine, planted, false);
      long count = planted.entries().size();
      EngineTensor sample =
          engine.select(entries, "sample", shape, SampledZeros.among(shape, 3, 3));
      double weight = SampledZeros.weight(shape, count * 3);
      assertThat(sample.statistics().entries()).isEqualTo(4 * count);
      Found all = run(engine, tensor(engine, planted, true), gcp("poisson", 1, 25, 1, 4));
      Found some = run(engine, sample, gcp("poisson", 1, 25, weight, 4));
      double lambda = all.model().lambda()[0];
      assertThat(some.model().lambda()[0]).isCloseTo(lambda, within(0.1 * lambda));
      for (int mode = 0; mode < 3; mode++) {
        double inner = 0;
        for (int i = 0; i < shape.size(mode); i++) {
          inner += some.factors().get(mode).get(i, 0) * all.factors().get(mode).get(i, 0);
        }
        assertThat(inner).isGreaterThan(0.97);
      }
    }
  }

  /** A run ends where nothing is left to gain, also if the loss there is 0 or next to it. */
  @ParameterizedTest
  @CsvSource({
    "gaussian, ADAM, false, DOUBLE",
    "gaussian, LBFGS, false, DOUBLE",
    "gaussian, LBFGS, true, DOUBLE",
    "poisson, ADAM, false, DOUBLE",
    "poisson, ADAM, true, DOUBLE",
    "poisson, LBFGS, false, DOUBLE",
    "poisson, LBFGS, true, DOUBLE",
    "poisson, ADAM, false, FLOAT",
    "abs(x-m), ADAM, false, DOUBLE",
    "abs(x-m), ADAM, false, FLOAT",
    "abs(x-m), ADAM, true, FLOAT",
    "'max(m,x)', ADAM, false, FLOAT",
  })
  void aRunWithoutLossHasConverged(
      String loss, Gcp.Optimizer optimizer, boolean sampled, ValueType type) {
    TensorShape shape = TensorShape.of(4, 3, 5);
    CooBlock.Builder stored = new CooBlock.Builder(3, 2);
    stored.add(new long[] {1, 1, 1}, 0);
    stored.add(new long[] {3, 2, 4}, 0);
    try (Engine engine = local()) {
      EngineTensor entries = engine.of("stored", shape, List.of(stored.build()), type);
      EngineTensor cells = engine.of("cells", shape, List.of(SampledZeros.all(shape)), type);
      Optional<ZeroSamples> drawn =
          sampled ? Optional.of(samples(engine, entries, 8)) : Optional.empty();
      Loss least = Loss.parse(loss, !loss.equals("gaussian"));
      Gcp method = new Gcp(2, least, optimizer, 200, 20, 0.05, 1e-4, 1, 1, type, drawn);
      Gcp.Model model = run(engine, cells, method).model();
      assertThat(model.converged()).as("losses %s", model.losses()).isTrue();
      assertThat(model.losses()).hasSizeLessThan(200);
      assertThat(model.losses().get(model.losses().size() - 1)).isCloseTo(0, within(1e-6));
    }
  }

  @ParameterizedTest
  @EnumSource
  void executorsFindWhatOneProcessFinds(Gcp.Optimizer optimizer) {
    Planted planted =
        Planted.nonnegative(3, 3, 30, 25, 20)
            .drawn((m, random) -> random.nextDouble() < 0.05 * m ? 2 : 0);
    TensorShape shape = TensorShape.of(planted.sizes());
    Loss poisson = Loss.parse("poisson", false);
    int most = Planted.LONG ? 2 : 1;
    List<Found> found = new ArrayList<>();
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(5));
    try (Engine here = local();
        Engine spark = SparkEngine.create(LocalSpark.context(), options)) {
      for (Engine engine : List.of(here, spark)) {
        EngineTensor entries = tensor(engine, planted, false);
        EngineTensor sample =
            engine.select(entries, "sample", shape, SampledZeros.among(shape, 3, 1));
        Optional<ZeroSamples> drawn = Optional.of(samples(engine, entries, 3));
        Gcp method =
            new Gcp(2, poisson, optimizer, most, 3, 0.05, 0, 7, 1, ValueType.DOUBLE, drawn);
        found.add(run(engine, sample, method));
      }
    }
    assertThat(last(found.get(1))).isCloseTo(last(found.get(0)), within(1e-8));
    for (int mode = 0; mode < 3; mode++) {
      assertThat(found.get(1).factors().get(mode).chunk(0))
          .containsExactly(found.get(0).factors().get(mode).chunk(0), within(1e-10));
    }
    LocalSpark.assertNothingResident();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "laplace | expected one of gaussian, poisson, bernoulli-odds,",
        "huber | expected huber:N with a number N",
        "huber:-1 | expected a number above 0, found 'huber:-1'",
        "beta:1 | and not 1, which is poisson",
        "gamma:2 | expected 'gamma' alone",
        "x * x + 1 | expected an expression in which m is",
        "x * m + 1 | expected an expression that is least at some m",
        "(x-n)^2 | found 'n'",
        "(x-m)^2; | expected one expression without ';'",
      })
  void lossesThatCannotBeReadAreOneError(String loss, String message) {
    assertThatThrownBy(() -> Loss.parse(loss, false)).hasMessageContaining(message);
  }
}
