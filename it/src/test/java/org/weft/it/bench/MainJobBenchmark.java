package org.weft.it.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.it.differential.RealTensors;

/**
 * File to file on this machine's cores: {@code weft mttkrp} of every mode and {@code weft cpd} at
 * rank 16, medians of {@code -Dweft.bench.runs} (default 3) runs.
 */
@Tag("bench")
final class MainJobBenchmark {
  private static final int RUNS = Integer.getInteger("weft.bench.runs", 3);
  private static final int RANK = 16;
  private static final int ITERATIONS = 10;
  private static final double NELL_SCALE = 0.1;

  @BeforeAll
  static void printMachine(@TempDir Path folder) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      String model =
          lines
              .filter(line -> line.startsWith("model name"))
              .findFirst()
              .map(line -> line.substring(line.indexOf(':') + 2))
              .orElse("unknown");
      print("CPU      %s, %d threads", model, Runtime.getRuntime().availableProcessors());
    }
    print("JDK      %s", System.getProperty("java.vm.version"));
    print("%s", MeasuredRun.of(folder, "--version").output().strip());
    print("rank %d, double, medians of %d runs, kernel cache empty at each start", RANK, RUNS);
  }

  @Test
  void retrosheet(@TempDir Path folder) {
    Path input = RealTensors.fileOrSkip("retrosheet-batter-pitcher-year-stat");
    print("%n# retrosheet-batter-pitcher-year-stat (6111 x 4035 x 35 x 17, 6,995,493 nonzeros)");
    measure(input, 4, folder);
  }

  @Test
  void nell2(@TempDir Path folder) {
    Path input = folder.resolve("nell-2.tns.gz");
    MeasuredRun made =
        MeasuredRun.of(folder, "generate", "nell-2", "--scale", NELL_SCALE, "--seed", 1, input);
    print("%n# nell-2-like, scale %s, seed 1 (made in %.1f s)", NELL_SCALE, made.wallSeconds());
    made.output().lines().forEach(line -> print("# %s", line));
    measure(input, 3, folder);
  }

  private static void measure(Path input, int order, Path folder) {
    for (int mode = 0; mode < order; mode++) {
      List<MeasuredRun> runs = new ArrayList<>();
      for (int run = 0; run < RUNS; run++) {
        runs.add(
            MeasuredRun.of(
                folder,
                "mttkrp",
                input,
                "--mode",
                mode,
                "--rank",
                RANK,
                "--seed",
                1,
                "--output",
                folder.resolve("m.npy"),
                "--overwrite"));
      }
      report("mttkrp mode " + mode, runs);
    }
    List<MeasuredRun> runs = new ArrayList<>();
    for (int run = 0; run < RUNS; run++) {
      runs.add(
          MeasuredRun.of(
              folder,
              "cpd",
              input,
              "--rank",
              RANK,
              "--iterations",
              ITERATIONS,
              "--tolerance",
              0,
              "--seed",
              1,
              "--output",
              folder.resolve("cpd"),
              "--overwrite"));
    }
    report("cpd, " + ITERATIONS + " iterations", runs);
    List<Double> iterations = runs.stream().flatMap(run -> run.iterations().stream()).toList();
    print("    %.3f s an iteration (median of %d)", median(iterations), iterations.size());
  }

  private static void report(String title, List<MeasuredRun> runs) {
    print(
        "%-22s %6.2f s in all, %5.0f MiB at most, kernels %.1f M nonzeros/s",
        title,
        median(runs, MeasuredRun::wallSeconds),
        median(runs, run -> run.peakMemoryBytes() / (double) (1 << 20)),
        median(runs, MeasuredRun::kernelMegaNonzerosPerSecond));
    Set<String> phases = new LinkedHashSet<>();
    runs.forEach(run -> phases.addAll(run.phases().keySet()));
    StringBuilder line = new StringBuilder("   ");
    for (String phase : phases) {
      double seconds = median(runs, run -> run.phases().getOrDefault(phase, 0.0));
      line.append(String.format(Locale.ROOT, " %s %.2f", phase, seconds));
    }
    print("%s", line);
  }

  private static double median(List<MeasuredRun> runs, ToDoubleFunction<MeasuredRun> figure) {
    return median(runs.stream().map(figure::applyAsDouble).toList());
  }

  static double median(List<Double> figures) {
    List<Double> sorted = figures.stream().sorted().toList();
    int middle = sorted.size() / 2;
    if (sorted.isEmpty()) {
      return Double.NaN;
    }
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  private static void print(String format, Object... arguments) {
    System.out.println(String.format(Locale.ROOT, format, arguments));
  }
}
