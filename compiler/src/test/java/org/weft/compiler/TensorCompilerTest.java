package org.weft.compiler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/** Expression in, kernel called: the whole pipeline. */
class TensorCompilerTest {
  private static final int RANK = 16;
  private static final TensorFormat MATRIX = TensorFormat.dense(2, ValueType.DOUBLE);
  private static final TensorFormat CSF =
      TensorFormat.csf(3, ValueType.DOUBLE).withWidths(Width.W32, Width.W32);

  private static KernelRequest mttkrp(String symbol, Schedule schedule) {
    return new KernelRequest(
        symbol,
        "M(i,r) = T(i,j,k) * A(j,r) * B(k,r)",
        Map.of("M", MATRIX, "T", CSF, "A", MATRIX, "B", MATRIX),
        Map.of("r", (long) RANK),
        schedule);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void mttkrpFromTheExpression(int threads) {
    Schedule schedule = threads > 1 ? Schedule.parallel() : Schedule.sequential();
    KernelImage image;
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      image = compiler.compile(List.of(mttkrp("m", schedule)));
    }
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system());
        KernelLibrary library = KernelLibrary.open(image)) {
      CooBlock.Builder entries = new CooBlock.Builder(3, 8);
      double[] expected = new double[50 * RANK];
      TensorStorage a = TensorStorage.dense(scope, TensorShape.of(7, RANK), ValueType.DOUBLE);
      TensorStorage b = TensorStorage.dense(scope, TensorShape.of(5, RANK), ValueType.DOUBLE);
      TensorStorage m = TensorStorage.dense(scope, TensorShape.of(50, RANK), ValueType.DOUBLE);
      for (int x = 0; x < 7 * RANK; x++) {
        a.vals().setDouble(x, x % 13);
      }
      for (int x = 0; x < 5 * RANK; x++) {
        b.vals().setDouble(x, x % 11 - 5);
      }
      for (int e = 0; e < 300; e++) {
        int i = e * 17 % 50;
        int j = e * 5 % 7;
        int k = e * 3 % 5;
        entries.add(new long[] {i, j, k}, e);
        for (int r = 0; r < RANK; r++) {
          expected[i * RANK + r] += e * (double) ((j * RANK + r) % 13) * ((k * RANK + r) % 11 - 5);
        }
      }
      TensorStorage t =
          Packing.pack(scope, TensorShape.of(50, 7, 5), CSF, List.of(entries.build()));
      Kernel.of(library, image.signature("m"))
          .run(Map.of("T", t, "A", a, "B", b, "M", m), Map.of(), scope, threads);
      for (int x = 0; x < expected.length; x++) {
        assertThat(m.vals().getDouble(x)).isEqualTo(expected[x]);
      }
    }
  }

  @Test
  void everyStageExplainsItself() {
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      Explanation explanation = compiler.explain(mttkrp("mttkrp", Schedule.sequential()));
      assertThat(explanation.algebra()).contains("M");
      assertThat(explanation.iterationGraph()).contains("i");
      assertThat(explanation.lattices()).isNotBlank();
      assertThat(explanation.loops()).contains("void mttkrp(");
      assertThat(explanation.llvmIr()).contains("define void @mttkrp(").contains("alloca");
      assertThat(explanation.optimisedLlvmIr()).contains("define void @mttkrp(");
      assertThat(explanation.assembly()).contains("mttkrp:");
      assertThat(compiler.statistics().compiled()).as("explaining is no compilation").isZero();
    }
  }

  /** The loops that lowering writes keep the sums of a rank in registers too. */
  @Test
  void rankSumsAreVectors() {
    CompilerOptions options = CompilerOptions.forThisHost().withCpu("x86-64-v3");
    try (TensorCompiler compiler = TensorCompiler.create(options)) {
      Explanation explanation = compiler.explain(mttkrp("mttkrp", Schedule.sequential()));
      assertThat(explanation.optimisedLlvmIr())
          .contains("phi <4 x double>")
          .doesNotContain("alloca");
    }
  }

  /** Which operand comes next is no branch, though x86 below AVX-512 chooses integers alone. */
  @ParameterizedTest
  @CsvSource({
    "x86-64-v2,DOUBLE,+,i64",
    "x86-64-v3,DOUBLE,+,i64",
    "x86-64-v3,DOUBLE,-,i64",
    "x86-64-v3,FLOAT,@(min),i32",
    "x86-64-v3,LONG,+,i64",
    "x86-64-v4,DOUBLE,+,double",
    "x86-64-v4,FLOAT,@(max),float"
  })
  void unionsOfTwoAreMergedWithoutBranches(
      String cpu, ValueType type, String operator, String chosen) {
    TensorFormat csr = TensorFormat.parse("CSR", 2, type);
    KernelRequest union =
        new KernelRequest(
            "union",
            "C(i,j) = A(i,j) " + operator + " B(i,j)",
            Map.of("C", csr, "A", csr, "B", csr),
            Map.of(),
            Schedule.parallel());
    CompilerOptions options = CompilerOptions.forThisHost().withCpu(cpu);
    try (TensorCompiler compiler = TensorCompiler.create(options)) {
      Explanation explanation = compiler.explain(union);
      String ir = explanation.optimisedLlvmIr();
      Pattern choice = Pattern.compile("select i1 [^,]+, (i\\d+|float|double) .*!unpredictable");
      assertThat(choice.matcher(ir).results().map(m -> m.group(1))).containsExactly(chosen, chosen);
      assertThat(explanation.assembly()).containsPattern(cpu.endsWith("v4") ? "%k[1-7]" : "cmov");
    }
  }

  @Test
  void requestsShareALibraryAndItsStatistics() {
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      List<KernelRequest> requests =
          List.of(mttkrp("one", Schedule.sequential()), mttkrp("two", Schedule.parallel()));
      KernelImage image = compiler.compile(requests);
      assertThat(compiler.compile(requests)).isSameAs(image);
      assertThat(image.kernels()).extracting(k -> k.symbol()).containsExactly("one", "two");
      assertThat(compiler.statistics().kernels()).isEqualTo(4);
      assertThat(compiler.statistics().compiled()).isEqualTo(1);
      assertThat(compiler.statistics().stageMillis())
          .containsOnlyKeys("lower", "cache", "load", "build", "optimise", "emit", "link");
    }
  }

  @Test
  void unusableRequestsAreUserErrors() {
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      assertCode(ErrorCode.USAGE, () -> compiler.compile(List.of()));
      KernelRequest one = mttkrp("same", Schedule.sequential());
      assertCode(ErrorCode.USAGE, () -> compiler.compile(List.of(one, one)));
      KernelRequest broken =
          new KernelRequest("broken", "M(i,r) = ", Map.of(), Map.of(), Schedule.sequential());
      assertCode(ErrorCode.INVALID_EXPRESSION, () -> compiler.compile(List.of(broken)));
    }
    assertThatThrownBy(() -> TensorCompiler.create(CompilerOptions.forThisHost().withCpu("z80")))
        .hasMessageContaining("x86-64-v3");
  }

  @Test
  void aClosedCompilerSaysSo() {
    TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost());
    compiler.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> compiler.compile(List.of(mttkrp("m", Schedule.sequential()))));
    assertThatIllegalStateException().isThrownBy(compiler::close);
  }

  private static void assertCode(ErrorCode code, Runnable compile) {
    assertThatThrownBy(compile::run)
        .isInstanceOfSatisfying(WeftException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
