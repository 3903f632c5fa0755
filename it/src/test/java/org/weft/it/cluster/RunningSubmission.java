package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A driver process under way. */
public final class RunningSubmission {
  private final ChildProcess process;
  private final Path output;
  private final Path error;
  private final Path temporary;
  private final long startedNanos = System.nanoTime();
  private long peakMemoryBytes;

  RunningSubmission(ChildProcess process, Path output, Path error, Path temporary) {
    this.process = process;
    this.output = output;
    this.error = error;
    this.temporary = temporary;
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Ends the driver with SIGKILL, and nothing else.
   *
   * @return whether it did not end by itself before
   */
  public boolean kill() {
    return process.kill();
  }

  /**
   * Ends a process below the driver with SIGKILL.
   *
   * @param commandPart what its command line holds
   * @return whether there was one
   */
  public boolean killBelow(String commandPart) {
    return process.descendants(commandPart).stream()
        .findFirst()
        .map(ProcessHandle::destroyForcibly)
        .orElse(false);
  }

  /** What is in the driver's temporary folder, but for a library that a codec unpacks there. */
  List<String> temporaries() throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.startsWith("liblz4-"))
          .toList();
    }
  }

  /** Waits until either stream holds a match, or fails with the transcript. */
  public void awaitOutput(Pattern pattern, Duration limit) {
    boolean found =
        waitFor(
            () -> pattern.matcher(read(error)).find() || pattern.matcher(read(output)).find(),
            limit);
    if (!found) {
      throw new AssertionError(
          "no output matching " + pattern + " within " + limit + "\n" + ended(-1).transcript());
    }
  }

  /** Waits for the end; past the limit the process is killed and this throws. */
  public Submission await(Duration limit) {
    boolean ended =
        waitFor(
            () -> {
              peakMemoryBytes = Math.max(peakMemoryBytes, process.peakMemoryBytes());
              return !process.isAlive();
            },
            limit);
    if (!ended) {
      String threads = process.threads();
      process.kill();
      throw new AssertionError(
          "the driver did not end within "
              + limit
              + "\n"
              + ended(-1).transcript()
              + "\n--- its threads\n"
              + threads);
    }
    return ended(process.exitCode());
  }

  private Submission ended(int exitCode) {
    return new Submission(
        exitCode,
        read(output),
        read(error),
        Duration.ofNanos(System.nanoTime() - startedNanos),
        peakMemoryBytes);
  }

  private boolean waitFor(BooleanSupplier done, Duration limit) {
    return Waiting.until(limit, Duration.ofMillis(50), () -> done.getAsBoolean() || !isAlive())
        && done.getAsBoolean();
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
