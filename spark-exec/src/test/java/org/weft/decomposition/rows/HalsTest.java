package org.weft.decomposition.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** The update by columns of blocks against the paper's, row by row. */
class HalsTest {

  /** Algorithm 2 of the paper for one row, with the weights of A and M multiplied in. */
  private static void paper(double[] a, double[] m, double[] v) {
    int rank = a.length;
    for (int r = 0; r < rank; r++) {
      double product = 0;
      for (int s = 0; s < rank; s++) {
        product += a[s] * v[s * rank + r];
      }
      double diagonal = v[r * rank + r];
      if (diagonal > 0) {
        a[r] = Math.max(0, a[r] + (m[r] - product) / diagonal);
      }
    }
  }

  /** A Gram matrix of random columns, one of which may be zero. */
  private static double[] gram(Random random, int rank, int vanished) {
    double[] v = new double[rank * rank];
    for (int row = 0; row < 2 * rank; row++) {
      double[] x = random.doubles(rank).toArray();
      if (vanished >= 0) {
        x[vanished] = 0;
      }
      for (int r = 0; r < rank; r++) {
        for (int s = 0; s < rank; s++) {
          v[r * rank + s] += x[r] * x[s];
        }
      }
    }
    return v;
  }

  @ParameterizedTest
  @CsvSource({
    "0, 3, 1, -1, DOUBLE",
    "1, 1, 1, -1, DOUBLE",
    "1031, 16, 1, -1, DOUBLE",
    "1032, 16, 2, 3, DOUBLE",
    "5000, 16, 2, -1, DOUBLE",
    "5000, 7, 3, 0, FLOAT",
    "300, 40, 2, 39, DOUBLE",
    "9, 1, 4, 0, FLOAT"
  })
  void isThePapersUpdate(int rows, int rank, int threads, int vanished, ValueType type) {
    Random random = new Random(rows + rank);
    RowAlgebra algebra = RowAlgebra.of(rank, type);
    double[] weights = random.doubles(rank).map(x -> 0.5 + x).toArray();
    double[] others = random.doubles(rank).map(x -> 0.5 + x).toArray();
    double[] v = gram(random, rank, vanished);
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system());
        TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      TensorShape shape = TensorShape.of(rows, rank);
      TensorStorage a = TensorStorage.dense(scope, shape, type);
      TensorStorage m = TensorStorage.dense(scope, shape, type);
      List<double[]> expected = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        double[] row = new double[rank];
        double[] data = new double[rank];
        for (int r = 0; r < rank; r++) {
          a.vals().setDouble((long) i * rank + r, random.nextDouble());
          m.vals().setDouble((long) i * rank + r, random.nextGaussian() * rank);
          row[r] = a.vals().getDouble((long) i * rank + r) * weights[r];
          data[r] = m.vals().getDouble((long) i * rank + r) * others[r];
        }
        paper(row, data, v);
        expected.add(row);
      }
      RowOperation update = algebra.hals("A", "M", weights, others, v);
      Map<String, TensorStorage> names = new HashMap<>(Map.of("A", a, "M", m));
      new RangeOfRows(kernels(compiler, algebra)::get, threads, names, scope)
          .run(List.of(update), Map.of());
      double eps = type == ValueType.FLOAT ? 1e-4 : 1e-9;
      for (int i = 0; i < rows; i++) {
        for (int r = 0; r < rank; r++) {
          double found = a.vals().getDouble((long) i * rank + r);
          assertThat(found).isNotNegative().isCloseTo(expected.get(i)[r], within(eps));
        }
      }
    }
  }

  private static Map<String, Kernel> kernels(TensorCompiler compiler, RowAlgebra algebra) {
    KernelImage image = compiler.compile(algebra.hals());
    Map<String, Kernel> kernels = new HashMap<>();
    try (KernelLibrary library = KernelLibrary.open(image)) {
      for (KernelRequest request : algebra.hals()) {
        kernels.put(request.symbol(), Kernel.of(library, image, request.symbol()));
      }
    }
    return kernels;
  }

  /** A component that the data ask for and the others have taken over can grow again. */
  @ParameterizedTest
  @CsvSource({"1, 1e-16", "-1, 0", "0, 0"})
  void zeroIsALittleMoreWhereDataAre(double data, double expected) {
    double[] v = {1, 1, 1, 1};
    double[] ones = {1, 1};
    RowAlgebra algebra = RowAlgebra.of(2, ValueType.DOUBLE);
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system());
        TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      TensorStorage a = TensorStorage.dense(scope, TensorShape.of(1, 2), ValueType.DOUBLE);
      TensorStorage m = TensorStorage.dense(scope, TensorShape.of(1, 2), ValueType.DOUBLE);
      a.vals().setDouble(1, 5);
      m.vals().setDouble(0, data);
      m.vals().setDouble(1, 5);
      Map<String, TensorStorage> names = new HashMap<>(Map.of("A", a, "M", m));
      new RangeOfRows(kernels(compiler, algebra)::get, 1, names, scope)
          .run(List.of(algebra.hals("A", "M", ones, ones, v)), Map.of());
      assertThat(Arrays.asList(a.vals().getDouble(0), a.vals().getDouble(1)))
          .containsExactly(expected, 5 - expected);
    }
  }
}
