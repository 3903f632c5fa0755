package org.weft.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The C++ tests in {@code src/test/cpp} under sanitizers. Each subclass names some, so that they
 * are compiled and run side by side.
 */
abstract class SanitizedCode {
  private static final long SECONDS = 300;

  @TempDir private Path folder;

  private final String sanitizers;

  /**
   * Tests under sanitizers.
   *
   * @param sanitizers as in {@code g++ -fsanitize=}
   */
  SanitizedCode(String sanitizers) {
    this.sanitizers = sanitizers;
  }

  @Test
  void passes() throws Exception {
    List<String> flags =
        List.of(
            "-fsanitize=" + sanitizers,
            "-fno-sanitize-recover=all",
            "-std=c++20",
            "-march=x86-64-v2",
            "-g",
            "-O0");
    assumeRuns(flags);
    List<String> command = compiler(flags, folder.resolve("test"));
    command.addAll(List.of("-Wall", "-Wextra", "-Werror", "-DWEFT_TEST_MAIN"));
    command.add("-I" + CLibrary.RUNTIME_SOURCES);
    command.addAll(NativeCodeTest.sources());
    assertThat(run(command)).isEmpty();
    assertThat(run(List.of(folder.resolve("test").toString())))
        .isEqualTo("0 failed expectations\n");
  }

  private static List<String> compiler(List<String> flags, Path output) {
    List<String> command = new ArrayList<>(List.of("g++"));
    command.addAll(flags);
    command.addAll(List.of("-o", output.toString()));
    return command;
  }

  /** Skips, with the reason, where g++ or its sanitizer runtimes are missing or cannot start. */
  private void assumeRuns(List<String> flags) throws Exception {
    Path probe = Files.writeString(folder.resolve("probe.cpp"), "int main() { return 0; }\n");
    List<String> command = compiler(flags, folder.resolve("probe"));
    command.add(probe.toString());
    try {
      run(command);
      run(List.of(folder.resolve("probe").toString()));
    } catch (IOException | AssertionError e) {
      String reason = "no sanitizers here (g++ " + String.join(" ", flags) + "): " + e.getMessage();
      System.out.println(reason);
      Assumptions.abort(reason);
    }
  }

  /** Standard output and error of a command that must succeed. */
  private String run(List<String> command) throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean done = process.waitFor(SECONDS, TimeUnit.SECONDS);
    if (!done) {
      process.destroyForcibly();
    }
    String text = Files.readString(log);
    if (!done || process.exitValue() != 0) {
      String end = done ? "exit status " + process.exitValue() : "no end in " + SECONDS + " s";
      throw new AssertionError(String.join(" ", command) + ": " + end + "\n" + text);
    }
    return text;
  }
}
