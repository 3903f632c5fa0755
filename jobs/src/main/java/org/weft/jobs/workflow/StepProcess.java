package org.weft.jobs.workflow;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.weft.error.WeftException;
import org.weft.storage.file.AbandonedOutputs;

/**
 * A command as a process of its own, which can be ended, and whose end does no harm. It is started
 * as this process was: by the launcher that the property {@code weft.launcher} names, or by the
 * same Java with the same options. It ends when this process ends.
 */
final class StepProcess implements StepCommand {
  private static final Duration PATIENCE = Duration.ofSeconds(25);
  private static final String LAUNCHER = "weft.launcher";

  /** The property with the process to end with; see the main class. */
  static final String PARENT = "weft.parent";

  @Override
  public int run(List<String> words, String owner, Duration timeout, Consumer<String> lines)
      throws IOException, InterruptedException {
    Process process = builder(words, owner).redirectErrorStream(true).start();
    process.getOutputStream().close();
    Thread ending = new Thread(() -> stop(process));
    Runtime.getRuntime().addShutdownHook(ending);
    try {
      Thread reader = reader(process, lines);
      boolean ended = true;
      if (timeout.isZero()) {
        process.waitFor();
      } else {
        ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
      }
      if (!ended) {
        stop(process);
      }
      reader.join();
      return ended ? process.exitValue() : TIMED_OUT;
    } finally {
      stop(process);
      try {
        Runtime.getRuntime().removeShutdownHook(ending);
      } catch (IllegalStateException e) { // the end has begun, and does the same
        Thread.currentThread().interrupt();
      }
    }
  }

  private static ProcessBuilder builder(List<String> words, String owner) {
    List<String> line = new ArrayList<>();
    List<String> own =
        List.of(
            "-D" + PARENT + "=" + ProcessHandle.current().pid(),
            "-D" + AbandonedOutputs.OWNER + "=" + owner,
            "-Dweft.terminal=false");
    String launcher = System.getProperty(LAUNCHER);
    if (launcher != null) {
      line.add(launcher);
    } else {
      line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      line.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
      System.getProperties().stringPropertyNames().stream()
          .filter(name -> name.startsWith("spark.") || name.startsWith("weft."))
          .filter(name -> !name.equals(PARENT) && !name.equals(AbandonedOutputs.OWNER))
          .map(name -> "-D" + name + "=" + System.getProperty(name))
          .forEach(line::add);
      line.addAll(own);
      line.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.weft.jobs.Weft"));
    }
    line.addAll(words);
    ProcessBuilder builder = new ProcessBuilder(line);
    if (launcher != null) {
      builder
          .environment()
          .merge("WEFT_JAVA_OPTS", String.join(" ", own), (old, more) -> old + " " + more);
    }
    return builder;
  }

  private static Thread reader(Process process, Consumer<String> lines) {
    Thread thread =
        new Thread(
            () -> {
              try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
                try {
                  for (String line = in.readLine(); line != null; line = in.readLine()) {
                    lines.accept(line);
                  }
                } catch (WeftException e) { // the step goes on; its runner meets the same fault
                  in.transferTo(Writer.nullWriter());
                }
              } catch (IOException e) {
                lines.accept("the rest of what the command said is lost: " + e.getMessage());
              }
            },
            "weft-step-output");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Lets it remove what is unfinished, but not for ever. */
  private static void stop(Process process) {
    if (!process.isAlive()) {
      return;
    }
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
