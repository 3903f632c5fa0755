package org.weft.decomposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.NormOps_DDRM;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

class AlternatingLeastSquaresTest {
  /** Factors with unit columns, lambda, and the fit of each sweep. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Model(List<DenseMatrix> factors, double[] lambda, List<Double> fits) {}

  /** A dense tensor of order 3 with a naive MTTKRP. */
  private static final class Dense {
    private final int[] sizes;
    private final double[][][] x;
    private final int rank;

    Dense(int rank, int... sizes) {
      this.rank = rank;
      this.sizes = sizes;
      this.x = new double[sizes[0]][sizes[1]][sizes[2]];
    }

    double normSquared() {
      return Arrays.stream(x)
          .flatMap(Arrays::stream)
          .flatMapToDouble(Arrays::stream)
          .map(v -> v * v)
          .sum();
    }

    TensorShape shape() {
      return TensorShape.of(Arrays.stream(sizes).asLongStream().toArray());
    }

    CooBlock entries() {
      CooBlock.Builder block = new CooBlock.Builder(3, sizes[0] * sizes[1] * sizes[2]);
      for (int i = 0; i < sizes[0]; i++) {
        for (int j = 0; j < sizes[1]; j++) {
          for (int k = 0; k < sizes[2]; k++) {
            block.add(new long[] {i, j, k}, x[i][j][k]);
          }
        }
      }
      return block.build();
    }

    DenseMatrix mttkrp(int mode, DenseMatrix[] factors) {
      DenseMatrix m = DenseMatrix.zeros(sizes[mode], rank);
      int[] at = new int[3];
      for (at[0] = 0; at[0] < sizes[0]; at[0]++) {
        for (at[1] = 0; at[1] < sizes[1]; at[1]++) {
          for (at[2] = 0; at[2] < sizes[2]; at[2]++) {
            for (int r = 0; r < rank; r++) {
              double term = x[at[0]][at[1]][at[2]];
              for (int other = 0; other < 3; other++) {
                term *= other == mode ? 1 : factors[other].get(at[other], r);
              }
              m.set(at[mode], r, m.get(at[mode], r) + term);
            }
          }
        }
      }
      return m;
    }
  }

  private static Dense planted(int planted, int rank, long seed, int... sizes) {
    Dense tensor = new Dense(rank, sizes);
    Random random = new Random(seed);
    for (int r = 0; r < planted; r++) {
      double[][] a = new double[3][];
      for (int m = 0; m < 3; m++) {
        a[m] = random.doubles(sizes[m]).toArray();
      }
      for (int i = 0; i < sizes[0]; i++) {
        for (int j = 0; j < sizes[1]; j++) {
          for (int k = 0; k < sizes[2]; k++) {
            tensor.x[i][j][k] += a[0][i] * a[1][j] * a[2][k];
          }
        }
      }
    }
    return tensor;
  }

  private static Model run(Dense tensor, int iterations, boolean nonnegative, long seed) {
    return run(tensor, iterations, nonnegative, 1, seed);
  }

  private static Model run(
      Dense tensor, int iterations, boolean nonnegative, int threads, long seed) {
    EngineOptions options =
        EngineOptions.defaults()
            .planning(p -> p.withReproducible(true))
            .withThreadsPerTask(threads);
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      EngineTensor x = engine.of("x", tensor.shape(), List.of(tensor.entries()), ValueType.DOUBLE);
      Cpd cpd = job(tensor, iterations, nonnegative, seed);
      CpdResult result = engine.cpd(x, cpd, ProgressListener.NONE);
      return new Model(result.factors(), result.lambda(), result.fits());
    }
  }

  private static Cpd job(Dense tensor, int iterations, boolean nonnegative, long seed) {
    return new Cpd(tensor.rank, iterations, 1e-9, nonnegative, seed, ValueType.DOUBLE);
  }

  /** ALS as the books have it: {@code A = M V^-1}, then columns of norm 1. */
  private static Model textbook(Dense tensor, int iterations, long seed) {
    DenseMatrix[] factors =
        IntStream.range(0, 3)
            .mapToObj(
                mode ->
                    DenseMatrix.random(
                        tensor.sizes[mode],
                        tensor.rank,
                        job(tensor, iterations, false, seed).seed(mode)))
            .toArray(DenseMatrix[]::new);
    double[] lambda = new double[tensor.rank];
    for (int sweep = 0; sweep < iterations; sweep++) {
      for (int mode = 0; mode < 3; mode++) {
        DMatrixRMaj v = new DMatrixRMaj(tensor.rank, tensor.rank);
        v.fill(1);
        for (int other = 0; other < 3; other++) {
          if (other != mode) {
            DMatrixRMaj a = matrix(factors[other]);
            DMatrixRMaj gram = new DMatrixRMaj(tensor.rank, tensor.rank);
            CommonOps_DDRM.multTransA(a, a, gram);
            CommonOps_DDRM.elementMult(v, gram);
          }
        }
        CommonOps_DDRM.invert(v);
        DMatrixRMaj solved = new DMatrixRMaj(tensor.sizes[mode], tensor.rank);
        CommonOps_DDRM.mult(matrix(tensor.mttkrp(mode, factors)), v, solved);
        for (int r = 0; r < tensor.rank; r++) {
          lambda[r] = NormOps_DDRM.normF(CommonOps_DDRM.extractColumn(solved, r, null));
          for (int i = 0; i < tensor.sizes[mode]; i++) {
            factors[mode].set(i, r, solved.get(i, r) / lambda[r]);
          }
        }
      }
    }
    return new Model(List.of(factors), lambda, List.of());
  }

  private static DMatrixRMaj matrix(DenseMatrix from) {
    DMatrixRMaj matrix = new DMatrixRMaj((int) from.rows(), from.columns());
    for (int i = 0; i < from.rows(); i++) {
      from.copyRow(i, matrix.data, i * from.columns());
    }
    return matrix;
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e200, Double.NaN, Double.POSITIVE_INFINITY})
  void valuesWhoseSquaresOverflow(double value) {
    Dense tensor = new Dense(2, 2, 2, 2);
    tensor.x[1][0][1] = value;
    assertThatThrownBy(() -> run(tensor, 3, false, 1))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("the sum of the squares of the tensor's values is")
        .hasMessageContaining("divide them all by one number");
  }

  @Test
  void factorsAreThoseOfTheTextbook() {
    Dense tensor = planted(5, 3, 2, 30, 20, 9);
    Model expected = textbook(tensor, 12, 4);
    Model found = run(tensor, 12, false, 4);
    assertThat(found.fits().get(11)).isCloseTo(fit(tensor, expected), within(1e-9));
    assertThat(found.fits().get(11)).isCloseTo(fit(tensor, found), within(1e-9));
    for (int r = 0; r < 3; r++) {
      double lambda = expected.lambda()[r];
      assertThat(found.lambda()[r]).isCloseTo(lambda, within(1e-7 * lambda));
      for (int mode = 0; mode < 3; mode++) {
        for (int i = 0; i < tensor.sizes[mode]; i++) {
          assertThat(found.factors().get(mode).get(i, r))
              .isCloseTo(expected.factors().get(mode).get(i, r), within(1e-7));
        }
      }
    }
    Model threads = run(tensor, 12, false, 3, 4);
    assertThat(threads.fits()).isEqualTo(found.fits());
    assertThat(threads.lambda()).containsExactly(found.lambda());
  }

  @Test
  void hugeValues() {
    Dense huge = planted(2, 2, 1, 7, 6, 5);
    for (double[][] slice : huge.x) {
      for (double[] row : slice) {
        for (int k = 0; k < row.length; k++) {
          row[k] *= 1e90;
        }
      }
    }
    assertThat(fit(huge, run(huge, 100, false, 4))).isGreaterThan(0.999);
  }

  /** The fit computed the long way, from the residual. */
  private static double fit(Dense tensor, Model model) {
    double residual = 0;
    for (int i = 0; i < tensor.sizes[0]; i++) {
      for (int j = 0; j < tensor.sizes[1]; j++) {
        for (int k = 0; k < tensor.sizes[2]; k++) {
          double value = tensor.x[i][j][k];
          for (int r = 0; r < tensor.rank; r++) {
            value -=
                model.lambda()[r]
                    * model.factors().get(0).get(i, r)
                    * model.factors().get(1).get(j, r)
                    * model.factors().get(2).get(k, r);
          }
          residual += value * value;
        }
      }
    }
    return 1 - Math.sqrt(residual / tensor.normSquared());
  }

  @Test
  void fitsATensorOfLowRankAndReportsTheTrueFit() {
    Dense tensor = planted(2, 2, 1, 7, 6, 5);
    Model model = run(tensor, 200, false, 4);
    assertThat(model.fits().get(model.fits().size() - 1)).isGreaterThan(0.999);
    Dense coarse = planted(5, 2, 2, 7, 6, 5);
    Model rough = run(coarse, 20, false, 4);
    assertThat(rough.fits().get(rough.fits().size() - 1))
        .isCloseTo(fit(coarse, rough), within(1e-9));
  }

  @Test
  void fitNeverFallsWithoutConstraints() {
    Model model = run(planted(4, 3, 3, 9, 4, 6), 30, false, 5);
    for (int i = 1; i < model.fits().size(); i++) {
      assertThat(model.fits().get(i)).isGreaterThan(model.fits().get(i - 1) - 1e-12);
    }
  }

  @Test
  void columnsHaveNormOne() {
    Model model = run(planted(3, 3, 6, 8, 5, 4), 10, false, 6);
    for (DenseMatrix factor : model.factors()) {
      for (int r = 0; r < 3; r++) {
        double square = 0;
        for (int i = 0; i < factor.rows(); i++) {
          square += factor.get(i, r) * factor.get(i, r);
        }
        assertThat(square).isCloseTo(1, within(1e-12));
      }
    }
  }

  @Test
  void anAllZeroTensorGivesAZeroModel() {
    for (boolean nonnegative : new boolean[] {false, true}) {
      Model model = run(new Dense(3, 4, 3, 2), 5, nonnegative, 1);
      assertThat(model.lambda()).containsOnly(0);
      assertThat(model.fits()).contains(1.0);
    }
  }

  @Test
  void rankAboveTheModeSizesAndModesOfSizeOneWork() {
    Dense small = planted(2, 8, 7, 3, 1, 2);
    Model model = run(small, 60, false, 2);
    assertThat(model.fits().get(model.fits().size() - 1)).isGreaterThan(0.999);
    assertThat(fit(small, model)).isGreaterThan(0.999);
  }

  @Test
  void moreComponentsThanTheTensorHasDoNotFail() {
    Dense tensor = planted(1, 4, 8, 6, 5, 4);
    Model model = run(tensor, 40, false, 3);
    assertThat(fit(tensor, model)).isGreaterThan(0.999);
  }

  @Test
  void nonnegativeFactorsAreNonnegativeAndFit() {
    Dense tensor = planted(3, 3, 9, 9, 8, 7);
    Model model = run(tensor, 500, true, 11);
    for (DenseMatrix factor : model.factors()) {
      for (int i = 0; i < factor.rows(); i++) {
        for (int r = 0; r < 3; r++) {
          assertThat(factor.get(i, r)).isGreaterThanOrEqualTo(0);
        }
      }
    }
    assertThat(model.fits().get(model.fits().size() - 1)).isGreaterThan(0.98);
    assertThat(model.fits().get(model.fits().size() - 1))
        .isCloseTo(fit(tensor, model), within(1e-6));
  }

  @Test
  void theSameSeedGivesTheSameBits() {
    Dense tensor = planted(4, 3, 10, 40, 30, 20);
    Model one = run(tensor, 8, false, 77);
    Model two = run(tensor, 8, false, 77);
    assertThat(one.lambda()).containsExactly(two.lambda());
    assertThat(one.fits()).isEqualTo(two.fits());
    assertThat(run(tensor, 8, false, 78).lambda()).isNotEqualTo(one.lambda());
  }
}
