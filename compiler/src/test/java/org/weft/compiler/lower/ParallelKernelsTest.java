package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.differential.ArrayCheck;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Parallel kernels on skewed operands: one slice with half of the entries, empty slices, slices of
 * one entry. The runtime is told to divide even small loops ({@code weft.taskWork}).
 */
class ParallelKernelsTest {
  private static final int RANK = 5;

  /** Kernels, by the formats of their operands. Sizes: i 40, j 30, k 50, r {@value #RANK}. */
  enum Subject {
    SPMV("y(i) = A(i,j) * x(j)", "D", Map.of("A", "D,CU", "x", "D")),
    SPMV_ACCUMULATED("y(i) += A(i,j) * x(j)", "D", Map.of("A", "D,CU", "x", "D")),
    SPMV_DCSR("y(i) = A(i,j) * x(j)", "D", Map.of("A", "CU,CU", "x", "D")),
    SPMM("Y(i,r) = A(i,j) * X(j,r)", "D,D", Map.of("A", "D,CU", "X", "D,D")),
    DENSE("y(i) = X(i,r) * Z(i,r)", "D", Map.of("X", "D,D", "Z", "D,D")),
    SUM("y(i) = A(i,j) + B(i,j)", "D", Map.of("A", "D,CU", "B", "D,CU")),
    MTTKRP(
        "M(i,r) = T(i,j,k) * C(j,r) * D(k,r)",
        "D,D",
        Map.of("T", "CU,CU,CU", "C", "D,D", "D", "D,D")),
    MTTKRP_DENSE_SLICES(
        "M(i,r) = T(i,j,k) * C(j,r) * D(k,r)",
        "D,D",
        Map.of("T", "D,CU,CU", "C", "D,D", "D", "D,D")),
    MTTKRP_DENSE_FIBERS(
        "M(i,r) = T(i,j,k) * C(j,r) * D(k,r)",
        "D,D",
        Map.of("T", "D,D,CU", "C", "D,D", "D", "D,D")),
    MTTKRP_LISTED(
        "M(i,r) = T(i,j,k) * C(j,r) * D(k,r)",
        "D,D",
        Map.of("T", "CU,CN,S", "C", "D,D", "D", "D,D")),
    NOT_LINEAR("y(i) = T(i,j,k) * T(i,j,k)", "D", Map.of("T", "CU,CU,CU")),
    TTM_DENSE("Y(i,j,r) = T(i,j,k) * D(k,r)", "D,D,D", Map.of("T", "CU,CU,CU", "D", "D,D")),
    TTV("Y(i,j) = T(i,j,k) * v(k)", "CU,CU", Map.of("T", "CU,CU,CU", "v", "D")),
    TTM("Y(i,j,r) = T(i,j,k) * D(k,r)", "CU,CU,D", Map.of("T", "CU,CU,CU", "D", "D,D")),
    SPGEMM("Y(i,k) = A(i,j) * B(j,k)", "D,CU", Map.of("A", "D,CU", "B", "D,CU")),
    ADDITION("Y(i,j) = A(i,j) + B(i,j)", "D,CU", Map.of("A", "D,CU", "B", "D,CU")),
    ELEMENTWISE(
        "Y(i,j,k) = T(i,j,k) * S(i,j,k)", "CU,CU,CU", Map.of("T", "CU,CU,CU", "S", "CU,CU,CU")),
    ADDITION_CSF(
        "Y(i,j,k) = T(i,j,k) + S(i,j,k)", "CU,CU,CU", Map.of("T", "CU,CU,CU", "S", "CU,CU,CU")),
    ADDITION_COO("Y(i,j,k) = T(i,j,k) + S(i,j,k)", "CN,S,S", Map.of("T", "CN,S,S", "S", "D,CU,CU")),
    SCALED_FIBERS("Y(i,j,k) = T(i,j,k) * x(j)", "CU,D,CU", Map.of("T", "CU,CU,CU", "x", "D")),
    SCALED("Y(i,j,k) = T(i,j,k) * x(j)", "CN,S,S", Map.of("T", "CU,CU,CU", "x", "D"));

    final String expression;
    final Map<String, TensorFormat> formats = new HashMap<>();
    final String result;

    Subject(String expression, String resultFormat, Map<String, String> operands) {
      this.expression = expression;
      result = expression.substring(0, 1);
      operands.forEach((name, format) -> formats.put(name, format(format)));
      formats.put(result, format(resultFormat));
    }

    private static TensorFormat format(String text) {
      return TensorFormat.parse(
          "{" + text.replace(",", ", ") + "}", text.split(",").length, ValueType.DOUBLE);
    }

    /** The shape of a tensor, by the labels of its access. */
    TensorShape shape(String tensor) {
      int at = expression.indexOf(tensor + "(");
      String labels = expression.substring(at + 2, expression.indexOf(')', at));
      return TensorShape.of(
          Arrays.stream(labels.split(","))
              .mapToLong(label -> Map.of("i", 40L, "j", 30L, "k", 50L, "r", (long) RANK).get(label))
              .toArray());
    }
  }

  private static final Map<Subject, Kernel> KERNELS = new HashMap<>();

  @BeforeAll
  static void compile() {
    List<KernelRequest> requests = new ArrayList<>();
    for (Subject subject : Subject.values()) {
      requests.add(
          new KernelRequest(
              "k" + subject.ordinal(),
              subject.expression,
              subject.formats,
              Map.of(),
              Schedule.parallel()));
    }
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      var image = compiler.compile(requests);
      KernelLibrary library = KernelLibrary.open(image);
      for (Subject subject : Subject.values()) {
        KERNELS.put(subject, Kernel.of(library, image.signature("k" + subject.ordinal())));
      }
    }
  }

  @AfterAll
  static void forget() {
    KERNELS.clear();
  }

  /** Skewed entries: {@code whole} values sum exactly in any order. */
  private static CooBlock entries(TensorShape shape, Random random, int count, boolean whole) {
    CooBlock.Builder entries = new CooBlock.Builder(shape.order(), count);
    long heavy = random.nextInt(40);
    for (int entry = 0; entry < count; entry++) {
      long[] at = new long[shape.order()];
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = random.nextInt((int) shape.size(mode));
      }
      if (random.nextBoolean() && heavy < shape.size(0)) {
        at[0] = heavy;
      } else if (random.nextInt(3) > 0) {
        at[0] = Math.min(at[0], shape.size(0) / 8);
      }
      entries.add(at, whole ? 1 + random.nextInt(9) : random.nextDouble() - 0.5);
    }
    return entries.build();
  }

  private static TensorStorage pack(
      MemoryScope scope, Subject subject, String name, long seed, boolean whole) {
    Random random = new Random(seed * 31 + name.hashCode());
    TensorShape shape = subject.shape(name);
    TensorFormat format = subject.formats.get(name);
    int cells = format.isInsertable() ? 600 : new int[] {0, 1, 30, 900}[random.nextInt(4)];
    return Packing.pack(scope, shape, format, List.of(entries(shape, random, cells, whole)));
  }

  /** Coordinates and values of the result, in storage order. */
  private static List<String> run(
      Subject subject, long seed, boolean whole, int threads, boolean reproducible) {
    Kernel kernel = KERNELS.get(subject);
    MemoryScope scope = MemoryScope.root("parallel", MemorySource.system());
    try {
      Map<String, TensorStorage> bound = new HashMap<>();
      for (String name : subject.formats.keySet()) {
        if (!name.equals(subject.result)) {
          bound.put(name, pack(scope, subject, name, seed, whole));
        }
      }
      TensorFormat format = subject.formats.get(subject.result);
      TensorShape shape = subject.shape(subject.result);
      if (format.isInsertable()) {
        CooBlock none = new CooBlock.Builder(shape.order(), 1).build();
        bound.put(subject.result, Packing.pack(scope, shape, format, List.of(none)));
      }
      Kernel called = reproducible ? kernel.reproducible() : kernel;
      Map<String, TensorStorage> made =
          called.run(bound, Map.of(subject.result, shape), scope, threads);
      TensorStorage result = made.getOrDefault(subject.result, bound.get(subject.result));
      assertThat(ArrayCheck.violation(result)).isEmpty();
      List<String> cells = new ArrayList<>();
      result.forEachEntry((at, value) -> cells.add(Arrays.toString(at) + "=" + value));
      return cells;
    } finally {
      scope.close();
    }
  }

  /** Values are whole numbers: their sums do not depend on the order. */
  @ParameterizedTest
  @EnumSource
  void parallelResultsAreThoseOfOneThread(Subject subject) {
    for (long seed = 0; seed < 12; seed++) {
      List<String> expected = run(subject, seed, true, 1, false);
      for (int threads = 2; threads <= 4; threads++) {
        assertThat(run(subject, seed, true, threads, false))
            .as("%s, seed %s, %s threads", subject, seed, threads)
            .isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void equalCallsHaveEqualBits(Subject subject) {
    for (long seed = 0; seed < 4; seed++) {
      List<String> first = run(subject, seed, false, 3, false);
      for (int round = 0; round < 5; round++) {
        assertThat(run(subject, seed, false, 3, false)).as("seed %s", seed).isEqualTo(first);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void reproducibleKernelsHaveTheSameBitsOnAnyThreads(Subject subject) {
    for (long seed = 0; seed < 4; seed++) {
      List<String> alone = run(subject, seed, false, 1, true);
      for (int threads = 2; threads <= 4; threads++) {
        assertThat(run(subject, seed, false, threads, true)).as("seed %s", seed).isEqualTo(alone);
      }
    }
  }

  /** Otherwise the tests above say little: with one task, the order of sums would be the same. */
  @Test
  void smallLoopsAreDividedHere() {
    boolean differs = false;
    for (long seed = 0; seed < 20 && !differs; seed++) {
      differs =
          !run(Subject.MTTKRP, seed, false, 1, false)
              .equals(run(Subject.MTTKRP, seed, false, 4, false));
    }
    assertThat(differs).as("shared slices change the order of sums").isTrue();
  }
}
