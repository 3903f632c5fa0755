package org.weft.compiler.llvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

class ModuleContextTest {
  private static final Target V3 = new Target("x86-64-v3", 3);

  /** What LLVM says of a module is told of that module, however many are made at the same time. */
  @Test
  void everyModuleGetsItsOwnErrors() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int number = 0; number < 400; number++) {
        String name = "twice" + number;
        all.add(threads.submit(() -> defineTwice(name)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void moreModulesAreOpenThanThereAreCallbacks() {
    List<ModuleContext> open = new ArrayList<>();
    for (int number = 0; number < 40; number++) {
      open.add(new ModuleContext(V3, "open" + number));
    }
    for (ModuleContext module : open) {
      module.add("define void @f() { ret void }");
      assertThatThrownBy(() -> module.add("define void @f() { ret void }"))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("multiply defined");
    }
    open.forEach(ModuleContext::close);
  }

  /** A host of the level may lack them: {@link org.weft.runtime.CpuFeatures}. */
  @ParameterizedTest
  @ValueSource(strings = {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
  void codeHasNoInstructionThatHostsMayHide(String cpu) {
    try (ModuleContext module = new ModuleContext(new Target(cpu, 3), "hidden")) {
      module.add(
          """
          declare i64 @llvm.ctlz.i64(i64, i1)
          declare i64 @llvm.bswap.i64(i64)
          define i64 @zeros(i64 %x) {
            %n = call i64 @llvm.ctlz.i64(i64 %x, i1 false)
            ret i64 %n
          }
          define i64 @swapped(ptr %p) {
            %x = load i64, ptr %p
            %n = call i64 @llvm.bswap.i64(i64 %x)
            ret i64 %n
          }
          """);
      assertThat(CodeGenerator.assembly(module))
          .contains("bsr", "bswap")
          .doesNotContain("lzcnt")
          .doesNotContain("movbe");
    }
  }

  private static void defineTwice(String name) {
    String text = "define void @" + name + "() { ret void }";
    try (ModuleContext module = new ModuleContext(V3, name)) {
      module.add(text);
      assertThatThrownBy(() -> module.add(text))
          .isInstanceOfSatisfying(
              WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.COMPILER_FAILURE))
          .hasMessageContaining("'" + name + "'");
    }
  }
}
