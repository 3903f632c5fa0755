package org.weft.compiler;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.compiler.loop.ExampleKernels;
import org.weft.compiler.loop.LoopFunction;
import org.weft.runtime.KernelImage;
import org.weft.tensor.Width;

/**
 * Compile times per stage: cold (LLVM not loaded), warm, and from disk. Run alone it prints what
 * README.md quotes; nothing here asserts a time.
 *
 * <p>{@code mvn -pl compiler -am test -Dtest=CompileTimesTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 */
class CompileTimesTest {
  private static final int WARM_RUNS = 10;

  @TempDir Path folder;

  @Test
  void coldWarmAndFromDisk() {
    CompilerOptions options = CompilerOptions.forThisHost().withCacheDirectory(folder);
    LibraryCompiler cold = new LibraryCompiler(options);
    KernelImage image = cold.compile(kernels(16));
    System.out.println("cold     " + cold.statistics());

    LibraryCompiler warm = new LibraryCompiler(CompilerOptions.forThisHost());
    long cpuBefore = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    for (int run = 0; run < WARM_RUNS; run++) {
      warm.compile(kernels(17 + run));
    }
    double warmCpu =
        (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpuBefore) / 1e6;
    System.out.println(
        String.format(Locale.ROOT, "warm     %.1f ms of CPU each", warmCpu / WARM_RUNS));
    System.out.println("warm x" + WARM_RUNS + " " + warm.statistics());
    assertThat(warm.statistics().compiled()).isEqualTo(WARM_RUNS);

    for (int run = 0; run < WARM_RUNS; run++) {
      LibraryCompiler disk = new LibraryCompiler(options);
      long start = System.nanoTime();
      long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      assertThat(disk.compile(kernels(16))).isEqualTo(image);
      double millis = (System.nanoTime() - start) / 1e6;
      double cpuMillis =
          (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu) / 1e6;
      assertThat(disk.statistics().diskHits()).isEqualTo(1);
      String figures = "disk     %.2f ms in all, %.2f ms of CPU";
      System.out.println(String.format(Locale.ROOT, figures, millis, cpuMillis));
    }
  }

  private static List<LoopFunction> kernels(int rank) {
    return List.of(
        ExampleKernels.mttkrp(3, rank, true),
        ExampleKernels.mttkrp(4, rank, true),
        ExampleKernels.mttkrp(5, rank, true),
        ExampleKernels.spmv(true),
        ExampleKernels.filter(Width.W32));
  }
}
