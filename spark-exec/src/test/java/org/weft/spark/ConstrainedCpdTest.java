package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.decomposition.cp.CpState;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** CP decompositions under constraints, on small tensors. */
class ConstrainedCpdTest {
  private static Engine local() {
    return LocalBackend.engine(
        FileAccess.local(), EngineOptions.defaults().planning(p -> p.withPartitions(5)));
  }

  private static EngineTensor tensor(Engine engine, Planted planted) {
    return engine.of(
        "planted", TensorShape.of(planted.sizes()), List.of(planted.entries()), ValueType.DOUBLE);
  }

  private static Cpd job(int rank, int iterations, double tolerance, long seed, String... how) {
    Map<Integer, FactorConstraint> constraints = new TreeMap<>();
    for (int mode = 0; mode < how.length; mode++) {
      if (!how[mode].isEmpty()) {
        constraints.put(mode, FactorConstraint.parse(how[mode]));
      }
    }
    return new Cpd(rank, iterations, tolerance, false, seed, ValueType.DOUBLE, constraints, 0);
  }

  private static CpdResult run(Planted planted, Cpd cpd) {
    try (Engine engine = local()) {
      return engine.cpd(tensor(engine, planted), cpd, ProgressListener.NONE);
    }
  }

  private static double last(CpdResult result) {
    return result.fits().get(result.fits().size() - 1);
  }

  @Test
  void recoversPlantedNonnegativeFactors() {
    int recovered = 0;
    for (int seed = 0; seed < Planted.SEEDS; seed++) {
      Planted planted = Planted.nonnegative(seed, 3, 25, 20, 15).observed(1, 0.01);
      CpdResult best = null;
      for (int start = 0; start < 3; start++) { // local optima
        Cpd cpd = job(3, 100, 1e-7, seed * 10L + start, "nonneg", "nonneg", "nonneg");
        CpdResult result = run(planted, cpd);
        best = best == null || last(result) > last(best) ? result : best;
      }
      for (DenseMatrix factor : best.factors()) {
        assertThat(Arrays.stream(factor.chunk(0)).min().orElseThrow()).isNotNegative();
      }
      recovered += planted.match(best.factors()) > 0.98 ? 1 : 0;
    }
    Planted.requireMost("nonnegative factors", recovered);
  }

  /** Mixtures: the rows of a mode are shares, which the data have, whatever their scale. */
  @ParameterizedTest
  @CsvSource({"0", "1", "2"})
  void recoversSharesOfAnyMode(int mode) {
    int recovered = 0;
    for (int seed = 0; seed < Planted.SEEDS; seed++) {
      Planted planted = Planted.nonnegative(seed, 3, 25, 20, 15).shares(mode).observed(1, 0.01);
      String[] how = {"nonneg", "nonneg", "nonneg"};
      how[mode] = "simplex";
      CpdResult best = null;
      for (int start = 0; start < 3; start++) {
        CpdResult result = run(planted, job(3, 150, 1e-7, seed * 10L + start, how));
        best = best == null || last(result) > last(best) ? result : best;
      }
      DenseMatrix shares = best.factors().get(mode);
      for (int i = 0; i < shares.rows(); i++) {
        double[] row = new double[3];
        shares.copyRow(i, row, 0);
        assertThat(Arrays.stream(row).sum()).isCloseTo(1, within(1e-12));
        assertThat(Arrays.stream(row).min().orElseThrow()).isNotNegative();
      }
      Planted.scale(best.factors().get(0), best.lambda());
      double error = planted.rmse(best.factors(), List.of(planted.entries())) / planted.scale();
      assertThat(1 - last(best)).isCloseTo(error, within(1e-3));
      recovered += planted.match(best.factors()) > 0.98 ? 1 : 0;
    }
    Planted.requireMost("shares in mode " + mode, recovered);
  }

  @Test
  void nonnegativeModesFitAsWellAsHals() {
    Planted planted = Planted.nonnegative(4, 4, 14, 12, 10).observed(1, 0.3);
    CpdResult admm = run(planted, job(3, 200, 1e-9, 2, "nonneg", "nonneg", "nonneg"));
    CpdResult hals = run(planted, new Cpd(3, 200, 1e-9, true, 2, ValueType.DOUBLE));
    assertThat(last(admm)).isCloseTo(last(hals), within(2e-4));
  }

  private static double roughness(DenseMatrix factor) {
    double sum = 0;
    for (int r = 0; r < factor.columns(); r++) {
      for (int i = 1; i + 1 < factor.rows(); i++) {
        sum += Math.pow(factor.get(i - 1, r) - 2 * factor.get(i, r) + factor.get(i + 1, r), 2);
      }
    }
    return sum;
  }

  private static long zeros(DenseMatrix factor) {
    return Arrays.stream(factor.chunk(0)).filter(v -> v == 0).count();
  }

  @Test
  void chargesMakeFactorsSmoothOrSparse() {
    Planted planted = Planted.normal(4, 2, 30, 12, 10).observed(1, 0.5);
    CpdResult free = run(planted, job(2, 40, 0, 2));
    CpdResult smooth = run(planted, job(2, 40, 0, 2, "smooth:5"));
    CpdResult sparse = run(planted, job(2, 40, 0, 2, "", "l1:0.3"));
    CpdResult both = run(planted, job(2, 40, 0, 2, "nonneg-l1:0.1"));
    assertThat(roughness(smooth.factors().get(0)))
        .isLessThan(0.3 * roughness(free.factors().get(0)));
    assertThat(zeros(free.factors().get(1))).isZero();
    assertThat(zeros(sparse.factors().get(1))).isBetween(4L, 23L);
    assertThat(last(sparse)).isBetween(0.5 * last(free), last(free));
    assertThat(Arrays.stream(both.factors().get(0).chunk(0)).min().orElseThrow()).isZero();
  }

  @Test
  void aRidgeMakesWeightsSmaller() {
    Planted planted = Planted.normal(4, 2, 30, 12, 10).observed(1, 0.5);
    Cpd cpd = job(2, 40, 0, 2);
    Cpd ridge = new Cpd(2, 40, 0, false, 2, ValueType.DOUBLE, Map.of(), 0.5);
    double free = Arrays.stream(run(planted, cpd).lambda()).sum();
    // The last mode's least squares have it alone: the others are normalised.
    assertThat(Arrays.stream(run(planted, ridge).lambda()).sum())
        .isCloseTo(free / 1.5, within(0.05 * free));
  }

  private static final String[][] ALL = {
    {"nonneg", "simplex", "smooth:0.2"}, {"l1:0.05", "", "nonneg-l1:0.05"}
  };

  @Test
  void executorsFindWhatOneProcessFinds() {
    Planted planted = Planted.nonnegative(3, 3, 30, 25, 20).observed(0.4, 0.1);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(5));
    try (Engine here = local();
        Engine spark = SparkEngine.create(LocalSpark.context(), options)) {
      EngineTensor one = tensor(here, planted);
      EngineTensor other = tensor(spark, planted);
      for (String[] how : ALL) {
        CpdResult expected = here.cpd(one, job(3, 3, 0, 1, how), ProgressListener.NONE);
        CpdResult found = spark.cpd(other, job(3, 3, 0, 1, how), ProgressListener.NONE);
        assertSame(expected, found, 1e-10);
      }
    }
    LocalSpark.assertNothingResident();
  }

  private static void assertSame(CpdResult expected, CpdResult found, double tolerance) {
    assertThat(last(found)).isCloseTo(last(expected), within(tolerance));
    for (int mode = 0; mode < 3; mode++) {
      assertThat(found.factors().get(mode).chunk(0))
          .containsExactly(expected.factors().get(mode).chunk(0), within(tolerance));
    }
  }

  @Test
  void aRunGoesOnFromAStateWithTheSameBits() {
    Planted planted = Planted.nonnegative(3, 3, 30, 25, 20).observed(0.4, 0.1);
    try (Engine engine = local()) {
      EngineTensor tensor = tensor(engine, planted);
      for (String[] how : ALL) {
        KeptStates keeping = KeptStates.collected();
        CpdResult whole = engine.cpd(tensor, job(3, 6, 0, 1, how), keeping, ProgressListener.NONE);
        assertThat(CpState.of(keeping.states().get(2)).duals()).isNotEmpty();
        Checkpoints later = keeping.from(3);
        CpdResult found = engine.cpd(tensor, job(3, 6, 0, 1, how), later, ProgressListener.NONE);
        assertThat(found.fits()).isEqualTo(whole.fits());
        assertSame(whole, found, 0);
      }
    }
  }

  @Test
  void whatCannotBeDoneIsOneError() {
    Cpd simplex = job(2, 3, 0, 1, "simplex", "simplex", "simplex");
    assertThatThrownBy(() -> simplex.check(3))
        .hasMessageContaining("expected a mode whose columns may have any norm");
    assertThatThrownBy(() -> job(2, 3, 0, 1, "", "", "nonneg").check(2))
        .hasMessageContaining("expected constraints of modes 0 to 1, found one of mode 2");
    assertThatThrownBy(() -> new Cpd(2, 3, 0, true, 1, ValueType.DOUBLE, simplex.constraints(), 0))
        .hasMessageContaining("nonneg is a constraint, too");
    assertThatThrownBy(() -> new Cpd(2, 3, 0, false, 1, ValueType.DOUBLE, Map.of(), -1))
        .hasMessageContaining("expected a ridge of at least 0, found -1.0");
  }
}
