package org.weft.compiler.llvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.loop.ExampleKernels;
import org.weft.compiler.loop.LoopFunction;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/** Kernels of the usual shapes against plain loops over the entries. */
class KernelExecutionTest {

  @ParameterizedTest
  @CsvSource({"1,1", "3,1", "1,2", "1000,2", "1000,3"})
  void spmv(int rows, int threads) {
    boolean parallel = threads > 1;
    LoopFunction function = ExampleKernels.spmv(parallel);
    Random random = new Random(rows);
    int columns = 37;
    double[] x = random.doubles(columns).toArray();
    double[] expected = new double[rows];
    CooBlock.Builder entries = new CooBlock.Builder(2, 16);
    for (int e = 0; e < rows * 5; e++) {
      int i = random.nextInt(rows);
      int j = random.nextInt(columns);
      entries.add(new long[] {i, j}, e);
      expected[i] += e * x[j];
    }
    try (KernelRun run = new KernelRun(function)) {
      run.sparse(
          "A", function.signature().tensors().get(1).format(), entries.build(), rows, columns);
      run.dense("x", ValueType.DOUBLE, x, columns);
      TensorStorage y = run.dense("y", ValueType.DOUBLE, new double[0], rows);
      run.run(threads);
      for (int i = 0; i < rows; i++) {
        double tolerance = 1e-12 * Math.abs(expected[i]);
        assertThat(y.vals().getDouble(i)).isCloseTo(expected[i], within(tolerance));
      }
    }
  }

  @Test
  void parallelLoopOverNothing() {
    LoopFunction function = ExampleKernels.spmv(true);
    try (KernelRun run = new KernelRun(function)) {
      CooBlock none = new CooBlock.Builder(2, 1).build();
      run.sparse("A", function.signature().tensors().get(1).format(), none, 0, 5);
      run.dense("x", ValueType.DOUBLE, new double[5], 5);
      run.dense("y", ValueType.DOUBLE, new double[0], 0);
      run.run(2);
    }
  }

  /** Ranks around the chunk widths; 300 is past what is written out as straight-line code. */
  @ParameterizedTest
  @CsvSource({
    "3,1,1", "3,2,1", "3,3,2", "3,7,1", "3,16,1", "3,16,2", "3,17,1", "3,64,1", "3,300,2", "2,16,1",
    "4,16,1", "4,10,2", "5,8,1", "3,5,1", "3,6,2", "3,13,1", "3,15,2", "4,31,1", "3,42,1"
  })
  void mttkrp(int order, int rank, int threads) {
    mttkrp(ExampleKernels.mttkrp(order, rank, threads > 1), order, rank, threads, 1e-12);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 11, 16, 27, 300})
  void mttkrpOfFloats(int rank) {
    LoopFunction function = ExampleKernels.mttkrp(3, rank, false, ValueType.FLOAT);
    mttkrp(function, 3, rank, 1, 1e-4);
  }

  private static void mttkrp(LoopFunction function, int order, int rank, int threads, double eps) {
    ValueType type = function.signature().tensors().get(0).format().valueType();
    long[] sizes = {11, 7, 5, 4, 3};
    Random random = new Random(order * 1000L + rank);
    double[][] factors = new double[order][];
    for (int level = 1; level < order; level++) {
      factors[level] = random.doubles(sizes[level] * rank).map(v -> (float) v).toArray();
    }
    double[] expected = new double[(int) sizes[0] * rank];
    CooBlock.Builder entries = new CooBlock.Builder(order, 16);
    for (int e = 0; e < 200; e++) {
      long[] at = new long[order];
      for (int level = 0; level < order; level++) {
        at[level] = random.nextInt((int) sizes[level]);
      }
      entries.add(at, e % 9 - 4);
      for (int r = 0; r < rank; r++) {
        double product = e % 9 - 4;
        for (int level = 1; level < order; level++) {
          product *= factors[level][(int) at[level] * rank + r];
        }
        expected[(int) at[0] * rank + r] += product;
      }
    }
    try (KernelRun run = new KernelRun(function)) {
      long[] shape = java.util.Arrays.copyOf(sizes, order);
      run.sparse("T", function.signature().tensors().get(1).format(), entries.build(), shape);
      for (int level = 1; level < order; level++) {
        run.dense("F" + level, type, factors[level], sizes[level], rank);
      }
      TensorStorage m = run.dense("M", type, new double[0], sizes[0], rank);
      run.run(threads);
      for (int i = 0; i < expected.length; i++) {
        assertThat(m.vals().getDouble(i)).isCloseTo(expected[i], within(200 * eps));
      }
    }
  }

  @Test
  void appendGrowsPastTheFirstAllocation() {
    int size = 40_000;
    double[] values = new double[size];
    for (int j = 0; j < size; j++) {
      values[j] = j % 3 == 0 ? -j : j;
    }
    try (KernelRun run = new KernelRun(ExampleKernels.filter(Width.W16))) {
      run.dense("A", ValueType.DOUBLE, values, size);
      TensorStorage c = run.run(1, Map.of("C", TensorShape.of(size))).get("C");
      assertThat(c.storedEntries()).isEqualTo(size - (size + 2) / 3);
      c.forEachEntry(
          (at, value) -> {
            assertThat(at[0] % 3).isNotZero();
            assertThat(value).isEqualTo(at[0]);
          });
    }
  }

  @Test
  void appendOfNothing() {
    try (KernelRun run = new KernelRun(ExampleKernels.filter(Width.W16))) {
      run.dense("A", ValueType.DOUBLE, new double[3], 3);
      TensorStorage c = run.run(1, Map.of("C", TensorShape.of(3))).get("C");
      assertThat(c.storedEntries()).isZero();
    }
  }

  /** 256 does not fit 8 bits: the kernel fails after it has allocated, and nothing leaks. */
  @Test
  void widthOverflowNamesTheLevel() {
    double[] values = new double[300];
    values[3] = 1;
    values[255] = 1;
    try (KernelRun run = new KernelRun(ExampleKernels.filter(Width.W8))) {
      TensorStorage a = run.dense("A", ValueType.DOUBLE, values, 300);
      assertThat(run.run(1, Map.of("C", TensorShape.of(300))).get("C").storedEntries())
          .isEqualTo(2);
      a.vals().setDouble(256, 1);
      assertThatThrownBy(() -> run.run(1, Map.of("C", TensorShape.of(300))))
          .isInstanceOfSatisfying(
              WeftException.class,
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.WIDTH_OVERFLOW);
                assertThat(e).hasMessageContaining("C");
              });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x86-64-v2", "x86-64-v3"})
  void lowerCpuLevels(String cpu) {
    org.junit.jupiter.api.Assumptions.assumeTrue(
        org.weft.runtime.CpuFeatures.level().compareTo(cpu) >= 0, "this CPU lacks " + cpu);
    double[] values = {1, -1, 2};
    try (KernelRun run = new KernelRun(ExampleKernels.filter(Width.W8), cpu)) {
      run.dense("A", ValueType.DOUBLE, values, 3);
      assertThat(run.run(1, Map.of("C", TensorShape.of(3))).get("C").storedEntries()).isEqualTo(2);
    }
  }
}
