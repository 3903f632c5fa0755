package org.weft.compiler;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
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
  private static final int WARM_RUNS = Boolean.getBoolean("weft.long") ? 10 : 2;

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

  /** Well-known kernels, each alone from its expression to its library, and back from disk. */
  @Test
  void kernelsFromTheirExpressions() {
    CompilerOptions options = CompilerOptions.forThisHost().withCacheDirectory(folder);
    try (TensorCompiler compiler = TensorCompiler.create(options)) {
      for (int run = 0; run < 3 * WARM_RUNS; run++) {
        compiler.compile(List.of(mttkrp(17 + run)));
      }
    }
    print("MTTKRP, 3 operands, rank 100", options, CompileTimesTest::mttkrp);
    print("SpMV", options, number -> request(number, "y(i) = A(i,j) * x(j)", "y=D A=CSR x=D"));
    print("SpMM, 16 columns", options, number -> spmm(number));
    print("TTM, rank 16", options, number -> ttm(number));
    print(
        "SpGEMM",
        options,
        number -> request(number, "Y(i,k) = A(i,j) * B(j,k)", "Y=CSR A=CSR B=CSR"));
    print("GEMM", options, CompileTimesTest::gemm);
    fromDisk("MTTKRP", options, CompileTimesTest::mttkrp);
    fromDisk("GEMM", options, CompileTimesTest::gemm);
  }

  private static void print(
      String what, CompilerOptions options, IntFunction<KernelRequest> requests) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    List<Double> wall = new ArrayList<>();
    List<Double> busy = new ArrayList<>();
    try (TensorCompiler compiler = TensorCompiler.create(options)) {
      for (int run = 0; run < WARM_RUNS; run++) {
        KernelRequest request = requests.apply(100 + run);
        long cpu = threads.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        compiler.compile(List.of(request));
        wall.add((System.nanoTime() - start) / 1e6);
        busy.add((threads.getCurrentThreadCpuTime() - cpu) / 1e6);
      }
      Collections.sort(wall);
      Collections.sort(busy);
      String line = "%-28s best %.1f ms, median %.1f ms; CPU of the calling thread: median %.1f ms";
      int middle = wall.size() / 2;
      System.out.println(
          String.format(
              Locale.ROOT, line, what + ":", wall.get(0), wall.get(middle), busy.get(middle)));
      System.out.println("  x" + WARM_RUNS + " " + compiler.statistics());
      assertThat(compiler.statistics().compiled()).isEqualTo(WARM_RUNS);
    }
  }

  /** The kernels that the test above has left in the folder. */
  private static void fromDisk(
      String what, CompilerOptions options, IntFunction<KernelRequest> requests) {
    List<Double> wall = new ArrayList<>();
    for (int run = 0; run < WARM_RUNS; run++) {
      try (TensorCompiler fresh = TensorCompiler.create(options)) {
        long start = System.nanoTime();
        fresh.compile(List.of(requests.apply(100 + run)));
        wall.add((System.nanoTime() - start) / 1e6);
        assertThat(fresh.statistics().diskHits()).isEqualTo(1);
      }
    }
    Collections.sort(wall);
    String line = "%-28s best %.2f ms, median %.2f ms";
    System.out.println(
        String.format(
            Locale.ROOT, line, what + " from disk:", wall.get(0), wall.get(wall.size() / 2)));
  }

  private static KernelRequest mttkrp(int rank) {
    return request(rank, "M(i,r) = T(i,j,k) * C(j,r) * D(k,r)", "M=D T=CSF C=D D=D", rank);
  }

  private static KernelRequest spmm(int number) {
    return request(number, "Y(i,r) = A(i,j) * B(j,r)", "Y=D A=CSR B=D", 16);
  }

  private static KernelRequest ttm(int number) {
    return request(number, "Y(i,j,r) = T(i,j,k) * U(k,r)", "Y={CU,CU,D} T=CSF U=D", 16);
  }

  private static KernelRequest gemm(int number) {
    KernelRequest plain = request(number, "C(i,j) = A(i,k) * B(k,j)", "C=D A=D B=D");
    return new KernelRequest(
        plain.symbol(),
        plain.expression(),
        plain.formats(),
        plain.sizes(),
        Schedule.parse("parallel gemm(i)"));
  }

  /** A kernel with a symbol of its own; D stands for a dense tensor of any order. */
  private static KernelRequest request(int number, String expression, String formats, long... r) {
    Map<String, TensorFormat> parsed = new HashMap<>();
    for (String format : formats.split(" ")) {
      String name = format.substring(0, format.indexOf('='));
      String levels = format.substring(format.indexOf('=') + 1);
      String access = expression.substring(expression.indexOf(name + "(") + name.length());
      int order = access.substring(0, access.indexOf(')')).split(",").length;
      parsed.put(
          name, TensorFormat.parse(levels.equals("D") ? "Dense" : levels, order, ValueType.DOUBLE));
    }
    Map<String, Long> sizes = r.length == 0 ? Map.of() : Map.of("r", r[0]);
    return new KernelRequest("kernel" + number, expression, parsed, sizes, Schedule.parallel());
  }
}
