package org.weft.compiler;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.compiler.loop.ExampleKernels;
import org.weft.compiler.loop.LoopFunction;
import org.weft.runtime.KernelImage;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
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

  /** One kernel of three operands, from its expression to its library; each run another rank. */
  @Test
  void threeOperandsFromTheirExpression() {
    CompilerOptions options = CompilerOptions.forThisHost().withCacheDirectory(folder);
    try (TensorCompiler compiler = TensorCompiler.create(options)) {
      for (int run = 0; run < 5 * WARM_RUNS; run++) {
        compiler.compile(List.of(threeOperands(17 + run)));
      }
      System.out.println("3 operands x" + 5 * WARM_RUNS + " " + compiler.statistics());
      List<Double> wall = new ArrayList<>();
      List<Double> busy = new ArrayList<>();
      for (int run = 0; run < WARM_RUNS; run++) {
        long start = System.nanoTime();
        long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        compiler.compile(List.of(threeOperands(100 + run)));
        wall.add((System.nanoTime() - start) / 1e6);
        busy.add((ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu) / 1e6);
      }
      Collections.sort(wall);
      Collections.sort(busy);
      String line =
          "3 operands, warm: best %.1f ms, median %.1f ms; CPU without lld: median %.1f ms";
      System.out.println(
          String.format(
              Locale.ROOT,
              line,
              wall.get(0),
              wall.get(wall.size() / 2),
              busy.get(busy.size() / 2)));
    }
    for (int run = 0; run < WARM_RUNS; run++) {
      try (TensorCompiler fresh = TensorCompiler.create(options)) {
        long start = System.nanoTime();
        long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        fresh.compile(List.of(threeOperands(100 + run)));
        double millis = (System.nanoTime() - start) / 1e6;
        double busy = (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu) / 1e6;
        assertThat(fresh.statistics().diskHits()).isEqualTo(1);
        String line = "3 operands, from disk: %.2f ms in all, %.2f ms of CPU";
        System.out.println(String.format(Locale.ROOT, line, millis, busy));
      }
    }
  }

  private static KernelRequest threeOperands(int rank) {
    TensorFormat matrix = TensorFormat.dense(2, ValueType.DOUBLE);
    return new KernelRequest(
        "mttkrp",
        "M(i,r) = T(i,j,k) * C(j,r) * D(k,r)",
        Map.of("M", matrix, "T", TensorFormat.csf(3, ValueType.DOUBLE), "C", matrix, "D", matrix),
        Map.of("r", (long) rank),
        Schedule.parallel());
  }
}
