package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.HeldOut;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.completion.Completion;
import org.weft.decomposition.completion.CoordinateSolver;
import org.weft.decomposition.completion.EntryBatch;
import org.weft.decomposition.completion.GradientSolver;
import org.weft.decomposition.completion.NormalSolver;
import org.weft.decomposition.completion.Rival;
import org.weft.decomposition.completion.Solver;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.entries.HashedSplit;
import org.weft.engine.local.LocalBackend;
import org.weft.planner.machine.Resources;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Completion of planted tensors, most of whose cells are missing. */
class CompletionTest {
  private static final double[] SHARES = {0.8, 0.1, 0.1};

  /** A model and its factors, of which the first has the weights. */
  private record Found(Completion.Model model, List<DenseMatrix> factors, double test) {}

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
  }

  private static Engine engine(EngineOptions options) {
    return LocalBackend.engine(FileAccess.local(), options);
  }

  private static EngineTensor tensor(Engine engine, Planted planted) {
    TensorShape shape = TensorShape.of(planted.sizes());
    return engine.of("planted", shape, List.of(planted.entries()), ValueType.DOUBLE);
  }

  private static EngineTensor part(Engine engine, EngineTensor all, int part) {
    TensorShape shape = all.statistics().shape();
    return engine.select(all, "part " + part, shape, HashedSplit.part(SHARES, part, 4));
  }

  private static Completion completion(
      int rank, boolean biases, int iterations, long seed, Optional<ModelError> judge) {
    return completion(new NormalSolver(0), rank, biases, iterations, seed, judge);
  }

  private static Completion completion(
      Solver solver,
      int rank,
      boolean biases,
      int iterations,
      long seed,
      Optional<ModelError> judge) {
    return new Completion(
        solver,
        rank,
        biases,
        iterations,
        20,
        1e-5,
        1e-3,
        seed,
        ValueType.DOUBLE,
        judge,
        Rival.NONE);
  }

  private static Found run(
      Engine engine, EngineTensor tensor, Completion method, Optional<ModelError> test) {
    List<DenseMatrix> factors = new ArrayList<>();
    Engine.Keep<Completion.Model> kept = KeptFactors.into(factors, Completion.Model::factors);
    double[] error = {Double.NaN};
    Completion.Model found =
        engine
            .run(
                tensor,
                method,
                ProgressListener.NONE,
                (model, site) -> {
                  kept.keep(model, site);
                  test.ifPresent(judge -> error[0] = judge.rmse(model.rows()));
                })
            .model();
    Planted.scale(factors.get(0), found.lambda());
    return new Found(found, factors, error[0]);
  }

  /** A run that does not come near the rival's fits ends after eight iterations, others do not. */
  @Test
  void endsFarBehindARival() {
    Planted planted = Planted.normal(1, 2, 12, 10, 8).observed(0.5, 0.1);
    try (Engine engine = engine(EngineOptions.defaults())) {
      EngineTensor tensor = tensor(engine, planted);
      Completion alone = completion(2, false, 12, 1, Optional.empty());
      List<Double> fits = run(engine, tensor, alone, Optional.empty()).model().fits();
      assertThat(fits).hasSize(12);
      List<Double> better = List.of(0.0, Math.nextUp(Collections.max(fits)));
      for (List<Double> rival : List.of(fits, better, List.<Double>of())) {
        Completion beside =
            new Completion(
                alone.solver(),
                alone.rank(),
                alone.biases(),
                alone.maxIterations(),
                alone.patience(),
                alone.tolerance(),
                alone.ridge(),
                alone.seed(),
                alone.valueType(),
                alone.heldOut(),
                new Rival(rival));
        Completion.Model model = run(engine, tensor, beside, Optional.empty()).model();
        assertThat(model.fits()).isEqualTo(rival == better ? fits.subList(0, 8) : fits);
        assertThat(model.converged()).isFalse();
      }
    }
  }

  /**
   * The number of entries that algorithms of polynomial time are known to need is about {@code
   * n^(3/2) R} for modes of size n (Jain and Oh 2014; Barak and Moitra 2016). Here there are at
   * least 4 times as many. From random starts it takes more the larger n is, as a start's cosine
   * with a component is about {@code n^(-1/2)}: at 99 percent 9 times as many. The best of five
   * starts and two ridges is taken, as of those of the command.
   */
  @ParameterizedTest
  @CsvSource({
    "0.5, 30, 24, 20",
    "0.8, 30, 24, 20",
    "0.95, 50, 46, 40",
    "0.99, 210, 200, 190",
  })
  void recoversWhatIsMissing(double missing, int i, int j, int k) {
    assumeTrue(missing < 0.99 || Planted.LONG, "99 % missing takes long: run with -Plong");
    int rank = 3;
    int recovered = 0;
    double mean = Math.cbrt((double) i * j * k);
    assertThat((1 - missing) * Math.pow(mean, 3)).isGreaterThan(4 * rank * Math.pow(mean, 1.5));
    for (int seed = 0; seed < Planted.SEEDS; seed++) {
      Planted planted = Planted.normal(seed, rank, i, j, k).observed(1 - missing, 0.01);
      double noise = 0.01 * planted.scale();
      double least = Double.POSITIVE_INFINITY;
      double match = 0;
      try (Engine engine = engine(EngineOptions.defaults())) {
        EngineTensor tensor = tensor(engine, planted);
        for (int start = 0; least > 2 * noise && start < 10; start++) { // local optima
          double ridge = start % 2 == 0 ? 0.01 : 0.001;
          Found found =
              run(
                  engine,
                  tensor,
                  new Completion(
                      new NormalSolver(0),
                      rank,
                      false,
                      200,
                      20,
                      1e-5,
                      ridge,
                      seed * 100L + start / 2,
                      ValueType.DOUBLE,
                      Optional.empty(),
                      Rival.NONE),
                  Optional.empty());
          if (found.model().error() < least) {
            least = found.model().error();
            match = planted.match(found.factors());
          }
        }
      }
      recovered += match > 0.98 ? 1 : 0;
    }
    Planted.requireMost(missing + " missing of " + i + " x " + j + " x " + k, recovered);
  }

  /** Gives work a solver by name; that of batches has four of them. */
  private static <T> T solved(
      Engine engine, EngineTensor training, String name, int columns, Function<Solver, T> work) {
    return switch (name) {
      case "als" -> work.apply(new NormalSolver(0));
      case "ccd" -> work.apply(new CoordinateSolver());
      default -> batched(engine, training, columns, List.of(), work);
    };
  }

  private static <T> T batched(
      Engine engine,
      EngineTensor training,
      int columns,
      List<EntryBatch> before,
      Function<Solver, T> work) {
    if (before.size() == 4) {
      return work.apply(new GradientSolver(before, 1));
    }
    double[] shares = {0.25, 0.25, 0.25, 0.25};
    EngineTensor batch =
        engine.select(
            training,
            "batch",
            training.statistics().shape(),
            HashedSplit.part(shares, before.size(), 9));
    EntryBatch.Given<T> given =
        new EntryBatch.Given<>(
            columns,
            ValueType.DOUBLE,
            made -> {
              List<EntryBatch> all = new ArrayList<>(before);
              all.add(made);
              return batched(engine, training, columns, all, work);
            });
    return engine.run(batch, given, ProgressListener.NONE, (made, site) -> {}).model();
  }

  private static Completion.Model made(String solver, CooBlock entries, double ridge, int sweeps) {
    try (Engine engine = engine(EngineOptions.defaults())) {
      TensorShape shape = TensorShape.of(60, 50, 40);
      EngineTensor all = engine.of("x", shape, List.of(entries), ValueType.DOUBLE);
      EngineTensor training = part(engine, all, 0);
      return judge(
          engine,
          part(engine, all, 1),
          validation ->
              solved(
                  engine,
                  training,
                  solver,
                  6,
                  method ->
                      run(
                              engine,
                              training,
                              new Completion(
                                  method,
                                  2,
                                  true,
                                  sweeps,
                                  sweeps,
                                  0,
                                  ridge,
                                  1,
                                  ValueType.DOUBLE,
                                  Optional.of(validation),
                                  Rival.NONE),
                              Optional.empty())
                          .model()));
    }
  }

  /** Noise that is mostly small, in a sixtieth of the cells: most are in few slices. */
  private static CooBlock noise(double scale) {
    Random random = new Random(7);
    Map<List<Long>, Double> cells = new HashMap<>();
    while (cells.size() < 2000) {
      double value = scale * (3 + Math.pow(random.nextGaussian(), 3));
      cells.put(List.of(slice(random, 60), slice(random, 50), slice(random, 40)), value);
    }
    CooBlock.Builder block = new CooBlock.Builder(3, 2000);
    cells.forEach((at, x) -> block.add(at.stream().mapToLong(i -> i).toArray(), x));
    return block.build();
  }

  private static long slice(Random random, int size) {
    return (long) (size * Math.pow(random.nextDouble(), 3));
  }

  /** Else a component would take up a few large entries, by large numbers in few slices. */
  @ParameterizedTest
  @ValueSource(strings = {"als", "ccd", "sgd"})
  void aRidgeKeepsAModelFromLearningNoise(String solver) {
    List<Double> held = made(solver, noise(1), 1, 40).heldOut();
    double least = held.stream().min(Double::compare).orElseThrow();
    assertThat(held.get(held.size() - 1)).isLessThan(1.03 * least);
  }

  @ParameterizedTest
  @ValueSource(strings = {"als", "ccd", "sgd"})
  void theScaleOfTheDataDoesNotMatter(String solver) {
    double[] expected = null;
    for (double scale : new double[] {1, 1e-9, 1e12}) {
      double[] held =
          made(solver, noise(scale), 0.1, 6).heldOut().stream()
              .mapToDouble(error -> error / scale)
              .toArray();
      expected = expected == null ? held : expected;
      assertThat(held).containsExactly(expected, within(1e-6));
    }
  }

  /** A model of two components and biases by the solver of that name. */
  private static Found planted(Engine engine, EngineTensor tensor, String name, int sweeps) {
    return solved(
        engine,
        tensor,
        name,
        6,
        solver -> {
          Completion method = completion(solver, 2, true, sweeps, 1, Optional.empty());
          return run(engine, tensor, method, Optional.empty());
        });
  }

  /** A ridge, biases and the best model are as with least squares. */
  @ParameterizedTest
  @CsvSource({"ccd, 60", "sgd, 250"})
  void otherSolversFindThePlantedModelToo(String name, int sweeps) {
    Planted planted = Planted.normal(3, 2, 25, 22, 18).biased(5, 1).observed(0.3, 0.01);
    double noise = 0.01 * planted.scale();
    try (Engine engine = engine(EngineOptions.defaults())) {
      EngineTensor tensor = tensor(engine, planted);
      Found found = planted(engine, tensor, name, sweeps);
      assertThat(found.model().error()).isLessThan(1.5 * noise);
      assertThat(found.model().rmse().get(0)).isGreaterThan(5 * noise);
    }
  }

  /**
   * Noise is as large as the biases, as in ratings; each start finds the optimum of ALS or less.
   */
  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5, 6, 7})
  void aFewSweepsOfGradientsComeNearLeastSquares(int seed) {
    CooBlock ratings =
        Planted.normal(seed, 2, 60, 50, 40).biased(5, 1).observed(0.1, 0.3).entries();
    double least = made("als", ratings, 0.01, 20).error();
    assertThat(made("sgd", ratings, 0.01, 12).error()).isLessThan(1.02 * least);
  }

  /** With 5, 8, 9 and 16 columns: a part of a block, whole ones, and blocks that share columns. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 5, 12})
  void everySweepOfCoordinateDescentLowersTheError(int rank) {
    Planted planted = Planted.normal(3, rank, 25, 22, 18).biased(5, 1).observed(0.5, 0.01);
    try (Engine engine = engine(EngineOptions.defaults())) {
      Solver solver = new CoordinateSolver();
      Completion method =
          new Completion(
              solver, rank, true, 20, 20, 0, 0, 1, ValueType.DOUBLE, Optional.empty(), Rival.NONE);
      List<Double> rmse =
          run(engine, tensor(engine, planted), method, Optional.empty()).model().rmse();
      for (int sweep = 1; sweep < rmse.size(); sweep++) {
        assertThat(rmse.get(sweep)).isLessThan(rmse.get(sweep - 1) * (1 + 1e-12));
      }
      assertThat(rmse.get(19)).isLessThan(0.5 * rmse.get(0));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ccd", "sgd"})
  void executorsFindWithOtherSolversWhatOneProcessFinds(String name) {
    Planted planted = Planted.normal(3, 2, 14, 12, 10).biased(5, 1).observed(0.3, 0.01);
    EngineOptions options =
        EngineOptions.defaults().planning(p -> p.withPartitions(2).withReproducible(true));
    List<Found> all = new ArrayList<>();
    try (Engine spark = SparkEngine.create(LocalSpark.context(), options);
        Engine local = engine(options)) {
      for (Engine engine : List.of(local, local, spark)) {
        EngineTensor tensor = tensor(engine, planted);
        all.add(planted(engine, tensor, name, 1));
      }
    }
    for (int mode = 0; mode < 3; mode++) {
      double[] here = all.get(0).factors().get(mode).chunk(0);
      assertThat(all.get(1).factors().get(mode).chunk(0)).isEqualTo(here);
      assertThat(all.get(2).factors().get(mode).chunk(0)).containsExactly(here, within(1e-10));
    }
  }

  @Test
  void biasesAndTheMeanAreFoundAndHeldOutEntriesPredicted() {
    Planted planted = Planted.normal(3, 2, 25, 22, 18).biased(5, 1).observed(0.3, 0.01);
    try (Engine engine = engine(EngineOptions.defaults())) {
      EngineTensor all = tensor(engine, planted);
      Found found = judged(engine, all, 60);
      Completion.Model model = found.model();
      double naive = planted.rmse(found.factors(), HashedSplitTest.entries(part(engine, all, 2)));
      assertThat(found.test()).isCloseTo(naive, within(1e-9 * naive));
      assertThat(naive).isLessThan(0.05 * planted.scale());
      double best = model.heldOut().get(model.best() - 1);
      assertThat(best)
          .isEqualTo(model.error())
          .isCloseTo(
              planted.rmse(found.factors(), HashedSplitTest.entries(part(engine, all, 1))),
              within(1e-9));
      assertThat(model.heldOut()).allMatch(error -> error >= best * 0.99);
      assertThat(model.mean()).isCloseTo(5, within(1.0));
    }
  }

  /**
   * A model that one part of the entries is learnt from, another decides about, and a third tests.
   */
  private static Found judged(Engine engine, EngineTensor all, int iterations) {
    EngineTensor training = part(engine, all, 0);
    HeldOut<Found> tested =
        new HeldOut<>(
            6,
            ValueType.DOUBLE,
            test ->
                judge(
                    engine,
                    part(engine, all, 1),
                    validation ->
                        run(
                            engine,
                            training,
                            completion(2, true, iterations, 1, Optional.of(validation)),
                            Optional.of(test))));
    EngineTensor last = part(engine, all, 2);
    return engine.run(last, tested, ProgressListener.NONE, (model, site) -> {}).model();
  }

  private static <T> T judge(Engine engine, EngineTensor tensor, Function<ModelError, T> work) {
    HeldOut<T> judge = new HeldOut<>(6, ValueType.DOUBLE, work);
    return engine.run(tensor, judge, ProgressListener.NONE, (model, site) -> {}).model();
  }

  /** The bits are those of the plan, and tasks of executors add up in its order. */
  @Test
  void executorsFindWhatOneProcessFinds() {
    Planted planted = Planted.normal(3, 2, 25, 22, 18).biased(5, 1).observed(0.3, 0.01);
    EngineOptions options =
        EngineOptions.defaults().planning(p -> p.withPartitions(5).withReproducible(true));
    try (Engine spark = SparkEngine.create(LocalSpark.context(), options);
        Engine local = engine(options)) {
      Found there = judged(spark, tensor(spark, planted), 2);
      Found here = judged(local, tensor(local, planted), 2);
      for (int sweep = 0; sweep < 2; sweep++) {
        double expected = here.model().heldOut().get(sweep);
        assertThat(there.model().heldOut().get(sweep))
            .isCloseTo(expected, within(1e-10 * expected));
      }
      assertThat(there.test()).isCloseTo(here.test(), within(1e-10 * here.test()));
      for (int mode = 0; mode < 3; mode++) {
        assertThat(there.factors().get(mode).chunk(0))
            .containsExactly(here.factors().get(mode).chunk(0), within(1e-8));
      }
    }
  }

  @Test
  void theSameSeedGivesTheSameBitsOnAnyNumberOfThreads() {
    Planted planted = Planted.normal(1, 2, 20, 15, 12).observed(0.4, 0.1);
    double[][] bits = new double[2][];
    for (int run = 0; run < 2; run++) {
      EngineOptions options =
          EngineOptions.defaults()
              .planning(p -> p.withReproducible(true))
              .withThreadsPerTask(1 + 2 * run);
      try (Engine engine = engine(options)) {
        Completion method = completion(2, true, 5, 1, Optional.empty());
        Found found = run(engine, tensor(engine, planted), method, Optional.empty());
        bits[run] = found.factors().get(1).chunk(0).clone();
      }
    }
    assertThat(bits[1]).isEqualTo(bits[0]);
  }

  @Test
  void whatCannotBeDoneIsOneError() {
    Planted planted = Planted.normal(1, 2, 20, 15, 12).observed(0.4, 0.1);
    assertThatThrownBy(() -> completion(0, true, 5, 1, Optional.empty()))
        .hasMessageContaining("expected a rank of 1 to 46340, found 0");
    EngineOptions small =
        EngineOptions.defaults().withCluster(new Resources(1, 1, 1, 500).withKernelsInTurn());
    Completion method = completion(4, true, 5, 1, Optional.empty());
    try (Engine engine = engine(small)) {
      EngineTensor tensor = tensor(engine, planted);
      assertThatThrownBy(() -> run(engine, tensor, method, Optional.empty()))
          .hasMessageContaining("complete: expected to need at most")
          .hasMessageContaining("20 slices, 72 numbers each; give a lower --rank or --type float");
    }
    CooBlock.Builder nan = new CooBlock.Builder(3, 1);
    nan.add(new long[] {0, 0, 0}, Double.NaN);
    try (Engine engine = engine(EngineOptions.defaults())) {
      EngineTensor wrong =
          engine.of("nan", TensorShape.of(2, 2, 2), List.of(nan.build()), ValueType.DOUBLE);
      assertThatThrownBy(() -> run(engine, wrong, method, Optional.empty()))
          .hasMessageContaining("squares of the values");
    }
  }
}
