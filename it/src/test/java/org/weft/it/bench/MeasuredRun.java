package org.weft.it.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One run of the {@code weft} command in its own process.
 *
 * @param wallSeconds from the start of the process to its end, JVM start included
 * @param peakMemoryBytes largest VmHWM seen of the process and its children
 * @param output what it printed to both streams
 */
record MeasuredRun(double wallSeconds, long peakMemoryBytes, String output) {
  private static final Path LAUNCHER = Path.of("../jobs/bin/weft").toAbsolutePath().normalize();
  private static final Pattern PHASE = Pattern.compile("(\\w+) (\\d+\\.\\d+)(?=[,;])");
  private static final Pattern KERNEL = Pattern.compile("kernels ([\\d.]+) M nonzeros/s");
  private static final Pattern ITERATION =
      Pattern.compile("iteration +\\d+ .* (\\d+\\.\\d+) s", Pattern.MULTILINE);

  /**
   * Runs a command line to its end with a kernel cache of its own; fails unless it exits with 0.
   */
  static MeasuredRun of(Path folder, Object... arguments) {
    List<String> command = new ArrayList<>(List.of(LAUNCHER.toString()));
    Arrays.stream(arguments).map(Object::toString).forEach(command::add);
    try {
      Path log = Files.createTempFile(folder, "run", ".log");
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.redirectOutput(log.toFile());
      Path cache = Files.createTempDirectory(folder, "kernels");
      builder.environment().put("WEFT_KERNEL_CACHE", cache.toString());
      builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
      long start = System.nanoTime();
      Process process = builder.start();
      long peak = 0;
      while (process.isAlive()) {
        peak = Math.max(peak, peakMemoryBytes(process));
        Thread.sleep(20);
      }
      double seconds = (System.nanoTime() - start) * 1e-9;
      String output = Files.readString(log);
      if (process.waitFor() != 0) {
        throw new AssertionError(String.join(" ", command) + "\n" + output);
      }
      return new MeasuredRun(seconds, peak, output);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + LAUNCHER, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static long peakMemoryBytes(Process process) {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .mapToLong(handle -> peakMemoryBytes(handle.pid()))
        .sum();
  }

  private static long peakMemoryBytes(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
      return lines
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
          .sum();
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException | UncheckedIOException e) {
      return 0; // it ended while its status was being read
    }
  }

  /** Seconds by phase as the command reports them. */
  Map<String, Double> phases() {
    Map<String, Double> phases = new LinkedHashMap<>();
    output
        .lines()
        .filter(line -> line.startsWith("seconds: "))
        .flatMap(line -> PHASE.matcher(line).results())
        .forEach(match -> phases.put(match.group(1), Double.parseDouble(match.group(2))));
    return phases;
  }

  /** Millions of nonzeros per second inside kernels, as the command reports them. */
  double kernelMegaNonzerosPerSecond() {
    Matcher matcher = KERNEL.matcher(output);
    return matcher.find() ? Double.parseDouble(matcher.group(1)) : Double.NaN;
  }

  /** Seconds of each CP-ALS iteration. */
  List<Double> iterations() {
    return ITERATION
        .matcher(output)
        .results()
        .map(match -> Double.parseDouble(match.group(1)))
        .toList();
  }
}
