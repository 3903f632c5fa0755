package org.weft.decomposition.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.TensorCompiler;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.decomposition.constraint.NearestRow;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** The update in lanes against the paper's, row by row. */
class AdmmTest {
  private static final double CHARGE = 0.7;

  /** A problem: matrices by name, and what multiplies their columns. */
  private record Problem(int rows, double[] weights, double[] others, DMatrixRMaj v) {
    static Problem random(int rows, int rank) {
      Random random = new Random(rows + rank);
      DMatrixRMaj x = new DMatrixRMaj(2 * rank, rank);
      Arrays.setAll(x.data, at -> random.nextDouble());
      DMatrixRMaj v = new DMatrixRMaj(rank, rank);
      CommonOps_DDRM.multTransA(x, x, v);
      double[] weights = random.doubles(rank).map(w -> 0.5 + w).toArray();
      double[] others = random.doubles(rank).map(w -> 0.5 + w).toArray();
      return new Problem(rows, weights, others, v);
    }

    int rank() {
      return weights.length;
    }

    /** Powers of two, by which nothing is rounded. */
    double[] divisors() {
      return IntStream.range(0, rank()).mapToDouble(r -> Math.scalb(1.0, r % 5 - 2)).toArray();
    }

    Map<String, TensorStorage> matrices(MemoryScope scope, ValueType type) {
      Random random = new Random(7);
      Map<String, TensorStorage> matrices = new HashMap<>();
      for (String name : List.of("A", "U", "M")) {
        TensorStorage made = TensorStorage.dense(scope, TensorShape.of(rows, rank()), type);
        for (int at = 0; at < rows * rank(); at++) {
          double number = name.equals("M") ? 3 * random.nextGaussian() : random.nextDouble();
          boolean still = name.equals("U") && at / rank() % 3 == 0;
          made.vals().setDouble(at, still ? 0 : number + (at / rank() % 5 == 0 ? 2 : 0));
        }
        matrices.put(name, made);
      }
      return matrices;
    }

    RowOperation update(RowAlgebra algebra, FactorConstraint constraint) {
      return algebra.admm(constraint, "A", "U", "M", weights, others, v, divisors(), CHARGE);
    }

    /** Algorithm 1 of the paper for one row; returns a and u. */
    double[][] paper(FactorConstraint constraint, Map<String, TensorStorage> matrices, int row) {
      double[] a = scaled(matrices, "A", row, weights);
      double[] u = scaled(matrices, "U", row, weights);
      double[] m = scaled(matrices, "M", row, others);
      double[] free = product(m, new NormalEquations(v).inverse());
      double[] nearest = free.clone();
      if (constraint.isSet()) {
        NearestRow.of(constraint, nearest, 0);
        if (Arrays.equals(nearest, free)) {
          return new double[][] {free, new double[rank()]};
        }
      }
      double rho = CommonOps_DDRM.trace(v) / rank();
      DMatrixRMaj shifted = v.copy();
      CommonOps_DDRM.addEquals(shifted, rho, CommonOps_DDRM.identity(rank()));
      DMatrixRMaj inverse = new NormalEquations(shifted).inverse();
      for (int round = 0; round < 50; round++) {
        double[] right = new double[rank()];
        for (int r = 0; r < rank(); r++) {
          right[r] = m[r] + rho * (a[r] + u[r]);
        }
        double[] b = product(right, inverse);
        double[] before = a.clone();
        for (int r = 0; r < rank(); r++) {
          a[r] = b[r] - u[r];
        }
        NearestRow.of(constraint, a, CHARGE / rho);
        for (int r = 0; r < rank(); r++) {
          u[r] += a[r] - b[r];
        }
        if (squares(a, b) <= 1e-4 * squares(a, new double[rank()])
            && squares(a, before) <= 1e-4 * squares(u, new double[rank()])) {
          break;
        }
      }
      return new double[][] {a, u};
    }

    private double[] scaled(
        Map<String, TensorStorage> matrices, String name, int row, double[] factors) {
      double[] numbers = new double[rank()];
      Arrays.setAll(
          numbers, r -> matrices.get(name).vals().getDouble((long) row * rank() + r) * factors[r]);
      return numbers;
    }

    private double[] product(double[] row, DMatrixRMaj matrix) {
      double[] result = new double[rank()];
      for (int s = 0; s < rank(); s++) {
        for (int r = 0; r < rank(); r++) {
          result[r] += row[s] * matrix.get(s, r);
        }
      }
      return result;
    }

    private static double squares(double[] x, double[] y) {
      double sum = 0;
      for (int r = 0; r < x.length; r++) {
        sum += (x[r] - y[r]) * (x[r] - y[r]);
      }
      return sum;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 3, nonneg, 1, DOUBLE",
    "1, 1, nonneg, 1, DOUBLE",
    "64, 4, nonneg, 2, DOUBLE",
    "1031, 16, nonneg, 2, DOUBLE",
    "500, 7, nonneg, 1, FLOAT",
    "1031, 5, simplex, 2, DOUBLE",
    "129, 3, simplex, 1, FLOAT",
    "200, 1, simplex, 1, DOUBLE",
    "300, 64, simplex, 1, DOUBLE",
    "777, 16, l1:1, 2, DOUBLE",
    "300, 9, nonneg-l1:1, 2, DOUBLE"
  })
  void isThePapersUpdate(int rows, int rank, String text, int threads, ValueType type) {
    FactorConstraint constraint = FactorConstraint.parse(text);
    Problem problem = Problem.random(rows, rank);
    RowAlgebra algebra = RowAlgebra.of(rank, type);
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system());
        TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      Map<String, TensorStorage> before = problem.matrices(scope, type);
      Map<String, TensorStorage> after = problem.matrices(scope, type);
      new RangeOfRows(kernels(compiler, algebra)::get, threads, after, scope)
          .run(List.of(problem.update(algebra, constraint)), Map.of());
      double eps = type == ValueType.FLOAT ? 1e-4 : 1e-9;
      for (int row = 0; row < rows; row++) {
        double[][] expected = problem.paper(constraint, before, row);
        for (int r = 0; r < rank; r++) {
          long at = (long) row * rank + r;
          double divisor = problem.divisors()[r];
          double a = after.get("A").vals().getDouble(at) * divisor;
          double u = after.get("U").vals().getDouble(at) * divisor;
          assertThat(a).isCloseTo(expected[0][r], within(eps));
          assertThat(u).isCloseTo(expected[1][r], within(eps));
        }
      }
    }
  }

  /** A row has the same bits in any lane, beside any others, on any number of threads. */
  @ParameterizedTest
  @CsvSource({"nonneg, 3", "simplex, 16", "l1:1, 7"})
  void rowsDoNotDependOnThoseBesideThem(String text, int rank) {
    int rows = 1000;
    FactorConstraint constraint = FactorConstraint.parse(text);
    Problem problem = Problem.random(rows, rank);
    RowAlgebra algebra = RowAlgebra.of(rank, ValueType.DOUBLE);
    RowOperation update = problem.update(algebra, constraint);
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system());
        TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      Map<String, Kernel> kernels = kernels(compiler, algebra);
      Map<String, TensorStorage> once = problem.matrices(scope, ValueType.DOUBLE);
      Map<String, TensorStorage> parts = problem.matrices(scope, ValueType.DOUBLE);
      new RangeOfRows(kernels::get, 3, once, scope).run(List.of(update), Map.of());
      for (int from = 0; from < rows; from += 77) {
        int first = from;
        int count = Math.min(77, rows - from);
        Map<String, TensorStorage> part = new HashMap<>();
        parts.forEach((name, whole) -> part.put(name, view(scope, whole, first, count)));
        new RangeOfRows(kernels::get, 1, part, scope).run(List.of(update), Map.of());
      }
      for (int at = 0; at < rows * rank; at++) {
        for (String name : List.of("A", "U")) {
          double found = parts.get(name).vals().getDouble(at);
          assertThat(found).isEqualTo(once.get(name).vals().getDouble(at));
        }
      }
    }
  }

  private static TensorStorage view(MemoryScope scope, TensorStorage whole, int from, int count) {
    long columns = whole.shape().size(1);
    long address = whole.vals().address() + from * columns * Double.BYTES;
    TensorShape shape = TensorShape.of(count, columns);
    return TensorStorage.denseView(scope, shape, ValueType.DOUBLE, address);
  }

  private static Map<String, Kernel> kernels(TensorCompiler compiler, RowAlgebra algebra) {
    List<KernelRequest> requests = new ArrayList<>(algebra.admm());
    requests.addAll(algebra.simplex());
    KernelImage image = compiler.compile(requests);
    Map<String, Kernel> kernels = new HashMap<>();
    try (KernelLibrary library = KernelLibrary.open(image)) {
      for (KernelRequest request : requests) {
        kernels.put(request.symbol(), Kernel.of(library, image, request.symbol()));
      }
    }
    return kernels;
  }
}
