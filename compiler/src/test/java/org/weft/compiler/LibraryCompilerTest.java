package org.weft.compiler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.compiler.loop.ExampleKernels;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.Lowering;
import org.weft.error.WeftException;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.runtime.KernelSignature;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

class LibraryCompilerTest {
  private static final List<LoopFunction> KERNELS =
      List.of(ExampleKernels.spmv(true), ExampleKernels.filter(Width.W32));

  @TempDir Path folder;

  private CompilerOptions options() {
    return CompilerOptions.forThisHost().withCacheDirectory(folder);
  }

  @Test
  void oneLibraryHoldsAllKernels() {
    KernelImage image = new LibraryCompiler(CompilerOptions.forThisHost()).compile(KERNELS);
    assertThat(image.kernels())
        .extracting(KernelSignature::symbol)
        .containsExactly("spmv", "filter");
    try (KernelLibrary library = KernelLibrary.open(image)) {
      image.kernels().forEach(signature -> Kernel.of(library, signature));
    }
  }

  @Test
  void memoryThenDisk() {
    LibraryCompiler first = new LibraryCompiler(options());
    KernelImage image = first.compile(KERNELS);
    assertThat(first.compile(KERNELS)).isSameAs(image);
    assertThat(first.statistics().compiled()).isEqualTo(1);
    assertThat(first.statistics().memoryHits()).isEqualTo(1);
    assertThat(first.statistics().kernels()).isEqualTo(4);

    LibraryCompiler second = new LibraryCompiler(options());
    assertThat(second.compile(KERNELS)).isEqualTo(image);
    assertThat(second.statistics().diskHits()).isEqualTo(1);
    assertThat(second.statistics().compiled()).isZero();
    assertThat(second.statistics().stageMillis()).containsEntry("load", 0.0);
    assertThat(second.statistics().toString()).contains("0 libraries compiled, 1 from disk");
  }

  @Test
  void aDamagedEntryIsRebuilt() throws IOException {
    KernelImage image = new LibraryCompiler(options()).compile(KERNELS);
    try (Stream<Path> files = Files.list(folder)) {
      Path file = files.findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 2] ^= 1;
      Files.write(file, bytes);
    }
    LibraryCompiler second = new LibraryCompiler(options());
    assertThat(second.compile(KERNELS)).isEqualTo(image);
    assertThat(second.statistics().compiled()).isEqualTo(1);
    LibraryCompiler third = new LibraryCompiler(options());
    third.compile(KERNELS);
    assertThat(third.statistics().diskHits()).isEqualTo(1);
  }

  /** A request found in a cache is not lowered; a damaged or foreign file is compiled again. */
  @Test
  void requestsFoundAreNotLowered() throws IOException {
    TensorFormat vector = TensorFormat.dense(1, ValueType.DOUBLE);
    List<KernelRequest> requests =
        List.of(
            new KernelRequest(
                "twice",
                "y(i) = x(i) + x(i)",
                Map.of("x", vector, "y", vector),
                Map.of(),
                Schedule.sequential()));
    LibraryCompiler first = new LibraryCompiler(options());
    KernelImage image = first.compile(requests, request -> Lowering.lower(request).function());
    Function<KernelRequest, LoopFunction> never =
        request -> {
          throw new AssertionError("lowered " + request);
        };
    assertThat(first.compile(requests, never)).isSameAs(image);
    assertThat(first.statistics().memoryHits()).isEqualTo(1);
    LibraryCompiler second = new LibraryCompiler(options());
    assertThat(second.compile(requests, never)).isEqualTo(image);
    assertThat(second.statistics().diskHits()).isEqualTo(1);
    LibraryCompiler checked = new LibraryCompiler(options().withCheck(true));
    assertThat(checked.compile(requests, r -> Lowering.lower(r).function())).isNotEqualTo(image);
    assertThat(checked.statistics().compiled()).isEqualTo(1);

    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.writeString(file, "something else");
      }
    }
    LibraryCompiler third = new LibraryCompiler(options());
    assertThat(third.compile(requests, r -> Lowering.lower(r).function())).isEqualTo(image);
    assertThat(third.statistics().compiled()).isEqualTo(1);
    assertThat(new LibraryCompiler(options()).compile(requests, never)).isEqualTo(image);
  }

  /** Threads of one compiler compile once; compilers that share a folder do not disturb it. */
  @Test
  void concurrentCompilations() throws Exception {
    List<LibraryCompiler> compilers =
        List.of(new LibraryCompiler(options()), new LibraryCompiler(options()));
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<KernelImage>> images = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        LibraryCompiler compiler = compilers.get(i % 2);
        images.add(threads.submit(() -> compiler.compile(KERNELS)));
      }
      KernelImage image = images.get(0).get();
      for (Future<KernelImage> other : images) {
        assertThat(other.get()).isEqualTo(image);
      }
    } finally {
      threads.shutdown();
      assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
    for (LibraryCompiler compiler : compilers) {
      CompileStatistics statistics = compiler.statistics();
      assertThat(statistics.memoryHits()).isEqualTo(3);
      assertThat(statistics.compiled() + statistics.diskHits()).isEqualTo(1);
    }
  }

  @Test
  void illegalLoopsFailEveryTime() {
    LoopFunction spmv = ExampleKernels.spmv(false);
    LoopFunction illegal =
        new LoopFunction(
            spmv.signature(),
            spmv.buffers(),
            new Stmt.SetCount(0, 0, org.weft.compiler.loop.Expr.of(1)));
    LibraryCompiler compiler = new LibraryCompiler(options());
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> compiler.compile(List.of(illegal)))
          .isInstanceOf(WeftException.class);
    }
  }
}
