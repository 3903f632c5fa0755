package org.weft.jobs.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * Another program that runs the kernels of the suite, so that its calls and Weft's take turns on
 * the same machine. It is started as {@code COMMAND KERNEL TENSOR THREADS RANK} (rank 0 where the
 * kernel has none), loads the tensor, and prints {@code ready}, or {@code none} if it has no such
 * kernel. For every line that it then reads, the number of a mode (0 where the kernel has none), it
 * runs the kernel once and prints the seconds of that. It ends when its input does.
 */
final class OtherProgram implements AutoCloseable {
  private static final String READY = "ready";
  private static final String NONE = "none";
  private static final long PATIENCE_SECONDS = 5;

  private final String what;
  private final Process process;
  private final BufferedReader answers;
  private final Writer requests;

  private OtherProgram(String what, Process process) {
    this.what = what;
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.requests = process.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * Starts {@code command}, split at white space, and waits until it is ready; empty if it does not
   * have the kernel.
   *
   * @throws WeftException {@code USAGE} if it cannot be started or says anything else
   */
  static Optional<OtherProgram> start(
      String command, String kernel, String tensor, int threads, int rank) {
    List<String> words = new ArrayList<>(List.of(command.strip().split("\\s+")));
    words.addAll(List.of(kernel, tensor, String.valueOf(threads), String.valueOf(rank)));
    String what = String.join(" ", words);
    Process process;
    try {
      process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException e) {
      throw new WeftException(ErrorCode.USAGE, "cannot start '" + what + "': " + e.getMessage(), e);
    }
    OtherProgram program = new OtherProgram(what, process);
    String first = program.answer();
    if (first.equals(READY)) {
      return Optional.of(program);
    }
    program.close();
    if (first.equals(NONE)) {
      return Optional.empty();
    }
    throw program.unexpected(first, "'" + READY + "' or '" + NONE + "'");
  }

  /** Seconds of one run. */
  double seconds(int mode) {
    try {
      requests.write(mode + "\n");
      requests.flush();
    } catch (IOException e) {
      throw unexpected("", "seconds");
    }
    String found = answer();
    try {
      double seconds = Double.parseDouble(found);
      if (seconds > 0) {
        return seconds;
      }
    } catch (NumberFormatException e) {
      // The same as a number that cannot be a time.
    }
    throw unexpected(found, "seconds");
  }

  /** Its next line; empty at the end of its output. */
  private String answer() {
    try {
      String line = answers.readLine();
      return line == null ? "" : line.strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private WeftException unexpected(String found, String expected) {
    close();
    return new WeftException(
        ErrorCode.USAGE,
        "expected "
            + expected
            + " from '"
            + what
            + "', found "
            + (found.isEmpty() ? "the end of its output" : "'" + found + "'"));
  }

  /** Ends its input, and the program if it does not end then. */
  @Override
  public void close() {
    try {
      requests.close();
      if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (IOException e) {
      // Its end of the pipe is closed: it has ended, or is about to.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
