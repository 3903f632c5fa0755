package org.weft.compiler.llvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.bytedeco.llvm.global.LLVM.*;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.elf.ElfLinker;
import org.weft.compiler.loop.ExampleKernels;
import org.weft.compiler.loop.LoopFunction;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

class CodeGeneratorTest {
  private static final Target V3 = new Target("x86-64-v3", 3);

  /** What makes MTTKRP fast: sums live in vector registers from the first entry to the last. */
  @ParameterizedTest
  @CsvSource({"x86-64-v3,ymm,4", "x86-64-v4,zmm,8"})
  void rankSumsStayInVectorRegisters(String cpu, String register, int lanes) {
    CodeGenerator generator = new CodeGenerator(new Target(cpu, 3), (s, n) -> {});
    List<LoopFunction> kernel = List.of(ExampleKernels.mttkrp(4, 16, false));
    String ir = generator.llvmIr(kernel, true);
    assertThat(ir).doesNotContain("alloca").doesNotContain("memset");
    assertThat(ir).contains("phi <" + lanes + " x double>");
    assertThat(generator.assembly(kernel)).containsPattern("vfmadd\\d+pd.*%" + register);
  }

  /** Iterations that do not fill a register: 7 are one masked chunk, not 4, 2 and 1. */
  @ParameterizedTest
  @ValueSource(ints = {7, 13})
  void remaindersAreMasked(int rank) {
    CodeGenerator generator = new CodeGenerator(new Target("x86-64-v4", 3), (s, n) -> {});
    String ir = generator.llvmIr(List.of(ExampleKernels.mttkrp(3, rank, false)), true);
    assertThat(ir).doesNotContain("alloca").doesNotContain("memset");
    assertThat(ir).contains("phi <8 x double>", "@llvm.masked.load");
    assertThat(ir).doesNotContain("<2 x double>").doesNotContain("load double, ptr %F");
  }

  /** One narrower register does, or masks are slow or missing. */
  @ParameterizedTest
  @CsvSource({"x86-64-v2,7", "x86-64-v3,7", "x86-64-v4,12", "x86-64-v4,42"})
  void remaindersOfOneChunkAreNarrower(String cpu, int rank) {
    CodeGenerator generator = new CodeGenerator(new Target(cpu, 3), (s, n) -> {});
    String ir = generator.llvmIr(List.of(ExampleKernels.mttkrp(3, rank, false)), true);
    assertThat(ir).doesNotContain("alloca").doesNotContain("masked");
  }

  /** Buffers are known not to overlap: the loop has a vector body and no overlap check. */
  @Test
  void longVectorLoopsNeedNoOverlapChecks() {
    CodeGenerator generator = new CodeGenerator(V3, (s, n) -> {});
    String ir = generator.llvmIr(List.of(ExampleKernels.mttkrp(3, 1000, false)), true);
    assertThat(ir).contains("vector.body").doesNotContain("vector.memcheck");
  }

  /** One coroutine for all parallel loops of a library, lowered at every level. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void parallelLoopsAreCoroutines(int optimisation) {
    CodeGenerator generator =
        new CodeGenerator(new Target("x86-64-v3", optimisation), (s, n) -> {});
    for (LoopFunction kernel :
        List.of(ExampleKernels.spmv(true), ExampleKernels.mttkrp(3, 16, true))) {
      assertThat(generator.llvmIr(List.of(kernel), false))
          .containsOnlyOnce("declare hidden ptr @weft_range(");
    }
    assertThat(generator.rangeTask(false)).contains("llvm.coro.suspend");
    String ir = generator.rangeTask(true);
    assertThat(ir).contains("@weft_range.resume").doesNotContain("llvm.coro");
  }

  /** A kernel that has loops in tasks only is a frame, and its tasks are in the other module. */
  @Test
  void framesAreCompiledApart() {
    CodeGenerator generator = new CodeGenerator(V3, (s, n) -> {});
    String frame = "ModuleID = 'weft-frames'";
    assertThat(generator.llvmIr(List.of(ExampleKernels.spmv(false)), false)).doesNotContain(frame);
    String ir = generator.llvmIr(List.of(ExampleKernels.spmv(true)), true);
    assertThat(ir.substring(0, ir.indexOf(frame))).contains("define hidden void @spmv_loop0(");
    assertThat(ir.substring(ir.indexOf(frame)))
        .contains("define void @spmv(")
        .contains("declare hidden void @spmv_loop0(");
  }

  /** A kernel with loops of its own is compiled beside its tasks, with the same effort. */
  @Test
  void callersAreCompiledBesideTheirTasks() {
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    Map<String, TensorFormat> formats = Map.of("C", csr, "A", csr, "B", csr);
    String ir = parallelProduct(formats, Schedule.parallel());
    int callers = ir.indexOf("ModuleID = 'weft-callers'");
    assertThat(ir).doesNotContain("weft-frames");
    assertThat(ir.substring(0, callers)).contains("define hidden void @product_loop0(");
    assertThat(ir.substring(callers))
        .contains("define void @product(")
        .contains("declare hidden void @product_loop0(");
  }

  /** Tables of places are short beside what is read at the places. */
  @Test
  void contractionsFillTheirTablesInFrames() {
    TensorFormat dense = TensorFormat.dense(2, ValueType.DOUBLE);
    Map<String, TensorFormat> formats = Map.of("C", dense, "A", dense, "B", dense);
    assertThat(parallelProduct(formats, Schedule.parse("parallel gemm(i)")))
        .contains("ModuleID = 'weft-frames'")
        .doesNotContain("weft-callers");
  }

  /** Whatever may fail in a function leaves it in one way. */
  @Test
  void failuresShareTheirWayOut() {
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    Map<String, TensorFormat> formats = Map.of("C", csr, "A", csr, "B", csr);
    for (String function : parallelProduct(formats, Schedule.parallel()).split("\ndefine ")) {
      assertThat(function.split(" = cmpxchg ")).hasSizeLessThanOrEqualTo(2);
    }
  }

  private static String parallelProduct(Map<String, TensorFormat> formats, Schedule schedule) {
    KernelRequest product =
        new KernelRequest("product", "C(i,j) = A(i,k) * B(k,j)", formats, Map.of(), schedule);
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      return compiler.explain(product).llvmIr();
    }
  }

  @Test
  void theSameLoopsGiveTheSameBytes() {
    CodeGenerator generator = new CodeGenerator(V3, (s, n) -> {});
    List<LoopFunction> kernels =
        List.of(ExampleKernels.spmv(true), ExampleKernels.filter(Width.W32));
    assertThat(generator.library(kernels)).isEqualTo(generator.library(kernels));
  }

  @Test
  void stagesAreTimedInOrder() {
    List<CodeGenerator.Stage> seen = new java.util.ArrayList<>();
    new CodeGenerator(V3, (stage, nanos) -> seen.add(stage))
        .library(List.of(ExampleKernels.spmv(false)));
    assertThat(seen).containsExactly(CodeGenerator.Stage.values());
  }

  /**
   * Tensors off the heap may be many times the heap: JavaCPP's limit would fail each allocation.
   */
  @Test
  void memoryOfTheProcessIsNotLimited() {
    LlvmNative.load();
    assertThat(Pointer.maxPhysicalBytes()).isZero();
  }

  @Test
  void verifierErrorsAreReported() {
    try (ModuleContext module = new ModuleContext(V3, "bad")) {
      LLVMValueRef function = module.function("f", module.nothing, true);
      try (IrBuilder code = new IrBuilder(module, function)) {
        code.at(code.block("never_ends"));
      }
      assertFails(module::verify, "never_ends");
    }
  }

  /** An error that LLVM would print before ending the process. */
  @Test
  void errorsOfTheCodeEmitterAreReported() {
    CodeGenerator generator = new CodeGenerator(V3, (s, n) -> {});
    try (ModuleContext module = new ModuleContext(V3, "bad")) {
      LLVMValueRef function = module.function("f", module.nothing, true);
      try (IrBuilder code = new IrBuilder(module, function)) {
        code.at(code.block("entry"));
        String assembly = "this is no instruction";
        LLVMValueRef inline =
            LLVMGetInlineAsm(
                ModuleContext.functionType(module.nothing),
                assembly,
                assembly.length(),
                "",
                0,
                1,
                0,
                LLVMInlineAsmDialectATT,
                0);
        code.call(ModuleContext.functionType(module.nothing), inline);
        LLVMBuildRetVoid(code.raw);
      }
      assertFails(() -> generator.object(module), "this is no instruction");
    }
  }

  @Test
  void undefinedSymbolsAreReported() {
    CodeGenerator generator = new CodeGenerator(V3, (s, n) -> {});
    try (ModuleContext module = new ModuleContext(V3, "bad")) {
      LLVMValueRef missing =
          LLVMAddFunction(
              module.module, "weft_missing", ModuleContext.functionType(module.nothing));
      LLVMValueRef function = module.function("f", module.nothing, true);
      try (IrBuilder code = new IrBuilder(module, function)) {
        code.at(code.block("entry"));
        code.call(ModuleContext.functionType(module.nothing), missing);
        LLVMBuildRetVoid(code.raw);
      }
      byte[] object = generator.object(module);
      assertFails(() -> link(object), "weft_missing");
    }
  }

  @Test
  void garbageDoesNotLink() {
    assertFails(() -> link(new byte[] {1, 2, 3}), "linker");
  }

  /** What the linker of kernels refuses, lld links or explains; kernels are no such objects. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "define void @f() nounwind { ret void }; true",
        "declare void @memset() define void @f() nounwind { call void @memset() ret void }; true",
        "declare void @weft_range() define void @f() nounwind { call void @weft_range() ret void }; true",
        "@c = internal constant i64 7 define i64 @f(ptr %p) nounwind { store ptr @c, ptr %p ret i64 0 }; true",
        "declare double @exp(double) define double @f() nounwind { %e = call double @exp(double 1.0)"
            + " ret double %e }; false",
        "declare void @missing() define void @f() nounwind { call void @missing() ret void }; false",
        "@v = global i64 7 define i64 @f() nounwind { %l = load i64, ptr @v ret i64 %l }; false",
        "@t = constant [1 x ptr] [ptr @f] define void @f() nounwind { ret void }; false",
        "@c = constant i64 7 define ptr @f() nounwind { ret ptr @c }; false",
        "@l = thread_local global i64 7 define ptr @f() nounwind { ret ptr @l }; false",
        "define void @f() uwtable nounwind { ret void }; false",
        "define void @weft_range() nounwind { ret void }; true",
      })
  void plainObjectsNeedNoLld(String ir, boolean linked) {
    try (ModuleContext module = new ModuleContext(V3, "text")) {
      module.add(ir);
      CodeGenerator generator = new CodeGenerator(V3, (s, n) -> {});
      byte[] object = generator.object(module);
      assertThat(ElfLinker.link(List.of(object), generator.rangeTasks()).isPresent())
          .isEqualTo(linked);
      assertThat(ElfLinker.link(List.of(object, object), generator.rangeTasks())).isEmpty();
      byte[] cut = Arrays.copyOf(object, object.length - 100);
      assertThat(ElfLinker.link(List.of(cut), generator.rangeTasks())).isEmpty();
    }
  }

  @Test
  void targetsAreChecked() {
    assertThatThrownBy(() -> new Target("pentium", 3)).hasMessageContaining("x86-64-v3");
    assertThatThrownBy(() -> new Target("x86-64-v3", 4)).hasMessageContaining("0 to 3");
  }

  private static void assertFails(Runnable stage, String words) {
    assertThatThrownBy(stage::run)
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.COMPILER_FAILURE);
              assertThat(e).hasMessageContaining(words);
            });
  }

  private static byte[] link(byte[] object) {
    return Linker.link(List.of(object), List.of(), List.of());
  }
}
