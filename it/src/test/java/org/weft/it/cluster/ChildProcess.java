package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** One process that the harness started, with its log file. Its descendants die with it. */
final class ChildProcess {
  private static final int SIGKILL_STATUS = 137;
  private static final int ANSWER_SECONDS = 20;

  private final String name;
  private final Process process;
  private final Path log;

  private ChildProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /** Starts a command with both streams in one log. */
  static ChildProcess start(
      String name, List<String> command, Path folder, Map<String, String> environment, Path log) {
    return start(name, command, folder, environment, log, log);
  }

  static ChildProcess start(
      String name,
      List<String> command,
      Path folder,
      Map<String, String> environment,
      Path output,
      Path error) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().keySet().removeIf(ChildProcess::isForeignSetting);
    builder.environment().putAll(environment);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
    if (output.equals(error)) {
      builder.redirectErrorStream(true);
    } else {
      builder.redirectError(ProcessBuilder.Redirect.appendTo(error.toFile()));
    }
    try {
      Files.writeString(error, String.join(" ", command) + "\n", StandardCharsets.UTF_8);
      return new ChildProcess(name, builder.start(), error);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + name + ": " + command.get(0), e);
    }
  }

  /** Settings of the caller's own Spark, Hadoop or JVM must not leak into the cluster. */
  private static boolean isForeignSetting(String key) {
    return key.startsWith("SPARK_")
        || key.startsWith("HADOOP_")
        || key.startsWith("YARN_")
        || key.equals("JAVA_TOOL_OPTIONS")
        || key.equals("_JAVA_OPTIONS");
  }

  String name() {
    return name;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  int exitCode() {
    return process.exitValue();
  }

  /** Waits until the process has ended and returns its status. */
  int waitFor() {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      killTree();
      Thread.currentThread().interrupt();
      return SIGKILL_STATUS;
    }
  }

  /** Processes below this one whose command line holds the text. */
  List<ProcessHandle> descendants(String commandPart) {
    return process
        .descendants()
        .filter(ProcessHandle::isAlive)
        .filter(handle -> handle.info().commandLine().orElse("").contains(commandPart))
        .toList();
  }

  /**
   * Ends the process alone, with SIGKILL, and waits until it is gone.
   *
   * @return whether it did not end by itself before
   */
  boolean kill() {
    process.destroyForcibly();
    int status = waitFor();
    if (status != SIGKILL_STATUS && status != 0) {
      System.err.println(name + " had ended by itself with status " + status);
    }
    return status == SIGKILL_STATUS;
  }

  /** Ends the process and everything below it, with SIGKILL. */
  void killTree() {
    List<ProcessHandle> below = process.descendants().toList();
    process.destroyForcibly();
    below.forEach(ProcessHandle::destroyForcibly);
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What {@code jcmd} prints of a JVM's threads, or why it could not. */
  String threads() {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      Path dump = Files.createTempFile("threads", ".txt");
      Process asking =
          new ProcessBuilder(jcmd, "" + process.pid(), "Thread.print")
              .redirectErrorStream(true)
              .redirectOutput(dump.toFile())
              .start();
      if (!asking.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) {
        asking.destroyForcibly();
      }
      String text = Files.readString(dump);
      Files.delete(dump);
      return text;
    } catch (IOException e) {
      return "cannot ask for them: " + e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted while asking for them";
    }
  }

  /** VmHWM of the process in bytes; 0 once it has ended. */
  long peakMemoryBytes() {
    try (Stream<String> lines = Files.lines(Path.of("/proc", "" + process.pid(), "status"))) {
      return lines
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
          .findFirst()
          .orElse(0);
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException | UncheckedIOException e) {
      return 0; // the process ended while its status was being read
    }
  }

  /** The last characters of the log. */
  String logTail(int characters) {
    try {
      String text = Files.readString(log, StandardCharsets.UTF_8);
      return text.substring(Math.max(0, text.length() - characters));
    } catch (IOException e) {
      return "(" + log + " cannot be read: " + e + ")";
    }
  }
}
