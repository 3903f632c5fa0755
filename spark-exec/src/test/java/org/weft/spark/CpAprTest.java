package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.decomposition.count.CpApr;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Poisson CP decompositions of small tensors, beside the algorithm in plain loops. */
class CpAprTest {
  /** A model and its factors. */
  private record Found(CpApr.Model model, List<DenseMatrix> factors) {}

  private static Found run(Planted planted, CpApr method, EngineOptions options) {
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      return run(engine, planted, method);
    }
  }

  private static Found run(TensorShape shape, CooBlock entries, CpApr method) {
    try (Engine engine = LocalBackend.engine(FileAccess.local(), EngineOptions.defaults())) {
      return run(engine, shape, entries, method);
    }
  }

  private static Found run(Engine engine, Planted planted, CpApr method) {
    return run(engine, TensorShape.of(planted.sizes()), planted.entries(), method);
  }

  private static Found run(Engine engine, TensorShape shape, CooBlock entries, CpApr method) {
    List<DenseMatrix> factors = new ArrayList<>();
    CpApr.Model found =
        engine
            .run(
                engine.of("counts", shape, List.of(entries), method.valueType()),
                method,
                ProgressListener.NONE,
                KeptFactors.into(factors, CpApr.Model::factors))
            .model();
    return new Found(found, factors);
  }

  private static double poisson(double mean, Random random) {
    if (mean > 500) {
      return poisson(mean / 2, random) + poisson(mean / 2, random);
    }
    double product = random.nextDouble();
    double floor = Math.exp(-mean);
    int count = 0;
    while (product >= floor) {
      product *= random.nextDouble();
      count++;
    }
    return count;
  }

  private static Planted counts(long seed, double scale, int... sizes) {
    return Planted.nonnegative(seed, 3, sizes)
        .drawn((value, random) -> poisson(scale * value, random));
  }

  /** Chi and Kolda's algorithm on lists of entries, which are divided by their unit. */
  private static final class Naive {
    private final double unit;
    private final CooBlock x;
    private final double[][][] a;
    private final double[][][] phi;
    private final double[] lambda;

    Naive(Planted planted, int rank, long seed, double unit) {
      this.unit = unit;
      x = planted.entries();
      long[] sizes = planted.sizes();
      a = new double[sizes.length][][];
      phi = new double[sizes.length][][];
      lambda = new double[rank];
      Arrays.fill(lambda, (double) x.size() / rank);
      for (int mode = 0; mode < sizes.length; mode++) {
        DenseMatrix random =
            DenseMatrix.random(sizes[mode], rank, seed + mode * 0xD1B54A32D192ED03L);
        a[mode] = new double[(int) sizes[mode]][rank];
        for (int i = 0; i < sizes[mode]; i++) {
          random.copyRow(i, a[mode][i], 0);
        }
        scale(mode, columns(mode), true);
      }
    }

    private double[] columns(int mode) {
      double[] sums = new double[lambda.length];
      for (double[] row : a[mode]) {
        Arrays.setAll(sums, r -> sums[r] + row[r]);
      }
      return sums;
    }

    private void scale(int mode, double[] by, boolean divide) {
      for (double[] row : a[mode]) {
        Arrays.setAll(row, r -> divide ? by[r] > 0 ? row[r] / by[r] : 0 : row[r] * by[r]);
      }
    }

    private double model(int e, int r, int except) {
      double term = 1;
      for (int mode = 0; mode < a.length; mode++) {
        term *= mode == except ? 1 : a[mode][(int) x.coordinate(mode, e)][r];
      }
      return term;
    }

    private double model(int e) {
      double sum = 0;
      for (int r = 0; r < lambda.length; r++) {
        sum += model(e, r, -1);
      }
      return Math.max(sum, 1e-10);
    }

    double sweep(int number, int inner, double tolerance) {
      for (int mode = 0; mode < a.length; mode++) {
        for (int i = 0; number > 1 && i < a[mode].length; i++) {
          for (int r = 0; r < lambda.length; r++) {
            a[mode][i][r] += a[mode][i][r] < 1e-10 && phi[mode][i][r] > 1 ? 0.01 : 0;
          }
        }
        scale(mode, lambda, false);
        for (int update = 0; update < inner; update++) {
          phi[mode] = new double[a[mode].length][lambda.length];
          for (int e = 0; e < x.size(); e++) {
            double ratio = x.value(e) / unit / model(e);
            for (int r = 0; r < lambda.length; r++) {
              phi[mode][(int) x.coordinate(mode, e)][r] += ratio * model(e, r, mode);
            }
          }
          double violation = 0;
          for (int i = 0; i < a[mode].length; i++) {
            for (int r = 0; r < lambda.length; r++) {
              violation =
                  Math.max(violation, Math.abs(Math.min(a[mode][i][r], 1 - phi[mode][i][r])));
            }
          }
          if (violation < tolerance) {
            break;
          }
          for (int i = 0; i < a[mode].length; i++) {
            int row = i;
            int m = mode;
            Arrays.setAll(a[mode][i], r -> a[m][row][r] * phi[m][row][r]);
          }
        }
        System.arraycopy(columns(mode), 0, lambda, 0, lambda.length);
        scale(mode, lambda, true);
      }
      scale(0, lambda, false);
      double likelihood = -Arrays.stream(lambda).sum() * unit;
      for (int e = 0; e < x.size(); e++) {
        likelihood += x.value(e) * Math.log(model(e) * unit);
      }
      scale(0, lambda, true);
      return likelihood;
    }
  }

  @Test
  void iterationsHaveTheLogLikelihoodOfTheAlgorithmInLoops() {
    for (int[] sizes : new int[][] {{14, 11, 9}, {8, 7, 6, 5}}) {
      Planted planted = counts(5, 2, sizes);
      CpApr method = new CpApr(CpApr.Update.MU, 4, 8, 5, 1e-4, 7, ValueType.DOUBLE);
      CpApr.Model found = run(planted, method, EngineOptions.defaults()).model();
      CooBlock x = planted.entries();
      double squares = Arrays.stream(x.values(), 0, x.size()).map(v -> v * v).sum();
      double unit = Math.sqrt(squares / x.size());
      Naive naive = new Naive(planted, 4, 7, unit);
      for (int sweep = 1; sweep <= 8; sweep++) {
        double expected = naive.sweep(sweep, 5, 1e-4);
        assertThat(found.logLikelihoods().get(sweep - 1))
            .isCloseTo(expected, within(1e-8 * Math.abs(expected)));
      }
      double[] lambda = Arrays.stream(naive.lambda).map(weight -> weight * unit).toArray();
      assertThat(found.lambda()).containsExactly(lambda, within(1e-8 * squares));
      double counted = Arrays.stream(x.values(), 0, x.size()).sum();
      assertThat(Arrays.stream(found.lambda()).sum()).isCloseTo(counted, within(1e-9 * counted));
    }
  }

  /** Newton's updates end with a log-likelihood that is no less, after fewer iterations. */
  @ParameterizedTest
  @EnumSource(names = {"PDNR", "PQNR"})
  void newtonsUpdatesNeedFewerIterationsForTheSameLikelihood(CpApr.Update update) {
    Planted planted = counts(2, 30, 12, 10, 8);
    CpApr slow = new CpApr(CpApr.Update.MU, 3, 300, 10, 1e-3, 1, ValueType.DOUBLE);
    CpApr fast = new CpApr(update, 3, 40, 10, 1e-5, 1, ValueType.DOUBLE);
    CpApr.Model multiplied = run(planted, slow, EngineOptions.defaults()).model();
    CpApr.Model found = run(planted, fast, EngineOptions.defaults()).model();
    assertThat(found.converged()).isTrue();
    assertThat(found.logLikelihoods().size()).isLessThan(multiplied.logLikelihoods().size() / 2);
    double likelihood = last(multiplied);
    assertThat(last(found)).isGreaterThan(likelihood - 1e-7 * Math.abs(likelihood));
  }

  /** Slices without counts have rows of zeros, and single precision does not stall a search. */
  @ParameterizedTest
  @EnumSource
  void emptySlicesAndSinglePrecision(CpApr.Update update) {
    Planted planted = counts(2, 30, 12, 10, 8);
    CooBlock.Builder block = new CooBlock.Builder(3, planted.entries().size());
    CooBlock all = planted.entries();
    for (int e = 0; e < all.size(); e++) {
      long[] at = {all.coordinate(0, e), all.coordinate(1, e), all.coordinate(2, e)};
      if (at[1] != 4) {
        block.add(at, all.value(e));
      }
    }
    CooBlock rest = block.build();
    CpApr method = new CpApr(update, 3, 30, 10, 1e-2, 1, ValueType.FLOAT);
    Found found = run(TensorShape.of(12, 10, 8), rest, method);
    assertThat(found.factors().get(1).get(4, 0)).isZero();
    CpApr exact = new CpApr(update, 3, 30, 10, 1e-2, 1, ValueType.DOUBLE);
    double likelihood = last(run(TensorShape.of(12, 10, 8), rest, exact).model());
    assertThat(last(found.model())).isCloseTo(likelihood, within(1e-3 * Math.abs(likelihood)));
  }

  private static double last(CpApr.Model model) {
    return model.logLikelihoods().get(model.logLikelihoods().size() - 1);
  }

  @Tag("long")
  @Test
  void recoversPlantedCountsByQuasiNewtonSteps() {
    recoversPlantedCounts(CpApr.Update.PQNR);
  }

  @ParameterizedTest
  @EnumSource(names = "PQNR", mode = EnumSource.Mode.EXCLUDE)
  void recoversPlantedCounts(CpApr.Update update) {
    int most = update == CpApr.Update.MU ? 60 : 20;
    int recovered = 0;
    for (int seed = 0; seed < Planted.SEEDS; seed++) {
      Planted planted = counts(seed, 400, 30, 25, 20);
      double best = Double.NEGATIVE_INFINITY;
      double match = 0;
      for (int start = 0; start < 3; start++) { // local optima
        CpApr method = new CpApr(update, 3, most, 10, 1e-3, seed * 10L + start, ValueType.DOUBLE);
        Found found = run(planted, method, EngineOptions.defaults());
        List<Double> all = found.model().logLikelihoods();
        double likelihood = all.get(all.size() - 1);
        if (likelihood > best) {
          best = likelihood;
          match = planted.match(found.factors());
        }
      }
      recovered += match > 0.98 ? 1 : 0;
    }
    Planted.requireMost("counts, " + update, recovered);
  }

  @ParameterizedTest
  @EnumSource
  void convergesToTheConditionsAndColumnsAreProbabilities(CpApr.Update update) {
    Planted planted = counts(2, 30, 12, 10, 8);
    CpApr method = new CpApr(update, 3, 300, 10, 1e-3, 1, ValueType.DOUBLE);
    Found found = run(planted, method, EngineOptions.defaults());
    assertThat(found.model().converged()).isTrue();
    assertThat(found.model().violations()).last().satisfies(v -> assertThat(v).isLessThan(0.02));
    for (DenseMatrix factor : found.factors()) {
      for (int r = 0; r < 3; r++) {
        double sum = 0;
        for (int i = 0; i < factor.rows(); i++) {
          assertThat(factor.get(i, r)).isNotNegative();
          sum += factor.get(i, r);
        }
        assertThat(sum).isCloseTo(1, within(1e-12));
      }
    }
    List<Double> likelihoods = found.model().logLikelihoods();
    for (int n = 1; n < likelihoods.size(); n++) {
      assertThat(likelihoods.get(n)).isGreaterThan(likelihoods.get(n - 1) - 1e-6);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theSameSeedGivesTheSameBitsOnAnyNumberOfThreads(CpApr.Update update) {
    Planted planted = counts(2, 30, 12, 10, 8);
    CpApr method = new CpApr(update, 3, 4, 3, 0, 1, ValueType.DOUBLE);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withReproducible(true));
    Found one = run(planted, method, options.withThreadsPerTask(1));
    Found three = run(planted, method, options.withThreadsPerTask(3));
    assertThat(three.model().lambda()).isEqualTo(one.model().lambda());
    assertThat(three.factors().get(2).chunk(0)).isEqualTo(one.factors().get(2).chunk(0));
  }

  @ParameterizedTest
  @EnumSource(names = "PQNR")
  void executorsFindWhatOneProcessFinds(CpApr.Update update) {
    Planted planted = counts(3, 30, 25, 20, 15);
    CpApr method = new CpApr(update, 3, 2, 2, 1e-4, 1, ValueType.DOUBLE);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(5));
    Found here = run(planted, method, options);
    try (Engine spark = SparkEngine.create(LocalSpark.context(), options)) {
      Found there = run(spark, planted, method);
      for (int sweep = 0; sweep < 2; sweep++) {
        double expected = here.model().logLikelihoods().get(sweep);
        assertThat(there.model().logLikelihoods().get(sweep))
            .isCloseTo(expected, within(1e-10 * Math.abs(expected)));
      }
      for (int mode = 0; mode < 3; mode++) {
        assertThat(there.factors().get(mode).chunk(0))
            .containsExactly(here.factors().get(mode).chunk(0), within(1e-10));
      }
    }
    LocalSpark.assertNothingResident();
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource(names = "PQNR", mode = EnumSource.Mode.EXCLUDE)
  void executorsFindByOtherUpdatesWhatOneProcessFinds(CpApr.Update update) {
    executorsFindWhatOneProcessFinds(update);
  }

  @Test
  void whatCannotBeDoneIsOneError() {
    assertThatThrownBy(() -> new CpApr(CpApr.Update.MU, 0, 1, 1, 0, 1, ValueType.DOUBLE))
        .hasMessageContaining("expected a rank of at least 1, found 0");
    CpApr large = new CpApr(CpApr.Update.PDNR, 20_000, 1, 1, 0, 1, ValueType.DOUBLE);
    assertThat(large.memory(TensorShape.of(5, 6, 7)).bytes()).isGreaterThan(7 * 8 * 4e8);
    assertThat(large.memory(TensorShape.of(5, 6, 7)).largest())
        .isEqualTo(
            "Hessians of 7 slices, 400,000,000 numbers each; give a lower --rank or --method pqnr");
  }
}
