package org.weft.jobs;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The command from the classes under test, in a process of its own. */
final class WeftProcess implements AutoCloseable {
  private static final long MOST_SECONDS = 300;
  private static final List<String> PASSED_ON =
      List.of("--add-", "-Djdk", "-XX:+UnlockDiagnostic", "-XX:-BytecodeVerification");

  private final Process process;
  private final Path out;
  private final Path err;

  private WeftProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** The words that start the command, before its arguments. */
  static List<String> command(List<String> options) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-XX:TieredStopAtLevel=1", "-Dweft.kernel-cache="));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> PASSED_ON.stream().anyMatch(option::startsWith))
        .forEach(words::add);
    words.addAll(options);
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.weft.jobs.Weft"));
    return words;
  }

  /**
   * Starts the command with the signals of a terminal: a build in the background ignores some.
   *
   * @param folder takes what it says
   */
  static WeftProcess start(Path folder, List<String> options, String... arguments)
      throws IOException {
    return start(folder, folder.resolve("stdout"), options, arguments);
  }

  /** As {@link #start(Path, List, String...)}, with results in the file {@code out}. */
  static WeftProcess start(Path folder, Path out, List<String> options, String... arguments)
      throws IOException {
    return startWith(
        List.of("env", "--default-signal=HUP,INT,TERM"), folder, out, options, arguments);
  }

  /** As above, by a program that starts others, such as {@code prlimit}. */
  static WeftProcess startWith(
      List<String> starter, Path folder, Path out, List<String> options, String... arguments)
      throws IOException {
    List<String> words = new ArrayList<>(starter);
    words.addAll(command(options));
    words.addAll(List.of(arguments));
    Path err = folder.resolve("stderr");
    Process process =
        new ProcessBuilder(words).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    return new WeftProcess(process, out, err);
  }

  String out() throws IOException {
    return Files.readString(out);
  }

  String err() throws IOException {
    return Files.readString(err);
  }

  /** Waits for {@code state}, which the process reaches before it ends. */
  void await(BooleanSupplier state) throws Exception {
    for (long start = System.nanoTime(); !state.getAsBoolean(); Thread.sleep(2)) {
      if (!process.isAlive() || System.nanoTime() - start > MOST_SECONDS * 1_000_000_000L) {
        throw new AssertionError("not reached; the command said:\n" + out() + err());
      }
    }
  }

  /** Sends {@code HUP}, {@code INT}, {@code TERM} or {@code KILL}. */
  void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** The exit status. */
  int status() throws Exception {
    if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("does not end; the command said:\n" + out() + err());
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
