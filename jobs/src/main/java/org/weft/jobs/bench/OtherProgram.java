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
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * Another program that runs the kernels of the suite, so that its calls and Weft's take turns on
 * the same machine. It is started as {@code COMMAND KERNEL TENSOR THREADS RANK} (rank 0 where the
 * kernel has none), loads the tensor, and prints {@code ready}, or {@code none} if it has no such
 * kernel. For every line that it then reads, the number of a mode (0 where the kernel has none), it
 * runs the kernel once and prints the seconds of that. Its lines are flushed. It ends when its
 * input does.
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
    OtherProgram program;
    try {
      program =
          new OtherProgram(
              what,
              new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new WeftException(ErrorCode.USAGE, "cannot start '" + what + "': " + e.getMessage(), e);
    }
    String first = program.answer();
    if (READY.equals(first)) {
      return Optional.of(program);
    }
    if (NONE.equals(first)) {
      program.close();
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
      // It does not read, as it has ended: what it says now tells why.
    }
    String found = answer();
    try {
      double seconds = found == null ? 0 : Double.parseDouble(found);
      if (seconds > 0 && Double.isFinite(seconds)) {
        return seconds;
      }
    } catch (NumberFormatException e) {
      // The same as a number that cannot be a time.
    }
    throw unexpected(found, "seconds");
  }

  /** Its next line; null at the end of its output. */
  private @Nullable String answer() {
    try {
      String line = answers.readLine();
      return line == null ? null : line.strip();
    } catch (IOException e) {
      close();
      throw new UncheckedIOException(e);
    }
  }

  private WeftException unexpected(@Nullable String found, String expected) {
    close();
    return new WeftException(
        ErrorCode.USAGE,
        "expected "
            + expected
            + " from '"
            + what
            + "', found "
            + (found == null ? "the end of its output" : "'" + found + "'"));
  }

  /** Ends its input, and the program with all that it started if it does not end then. */
  @Override
  public void close() {
    try (answers) {
      requests.close();
      if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (IOException e) {
      // Its end of the pipe is closed: it has ended, or is about to.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
