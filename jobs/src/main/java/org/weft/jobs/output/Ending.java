package org.weft.jobs.output;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.service.launcher.IrqHandler;
import org.apache.hadoop.util.ShutdownHookManager;
import org.jspecify.annotations.Nullable;
import org.weft.scratch.ScratchFolder;
import org.weft.storage.file.UnfinishedOutputs;

/**
 * How the process ends when its command does not return: SIGTERM, SIGINT and SIGHUP, with status
 * 143, 130 and 129; a heap that is full in any thread, and an application that Spark has ended,
 * with status 1. One line says so, shutdown hooks remove what is unfinished, and when they hang, on
 * a full heap or a file system that does not answer, the process is halted.
 */
public final class Ending {
  private static final int SIGNAL_STATUS = 128;
  private static final int FATAL_STATUS = 1;
  private static final int HUP = 1;
  private static final int INT = 2;
  private static final int TERM = 15;
  private static final long PATIENCE_MILLIS = 20_000;

  /** After Spark's hooks, which remove its folders, and Hadoop's, which close file systems. */
  private static final int LAST = FileSystem.SHUTDOWN_HOOK_PRIORITY - 10;

  private final Console console;
  private final AtomicReference<@Nullable Throwable> fatal = new AtomicReference<>();
  private final CountDownLatch fatalCame = new CountDownLatch(1);

  private Ending(Console console) {
    this.console = console;
  }

  /** Watches over the heap from now on, for good. */
  public static Ending install(Console console) {
    Ending ending = new Ending(console);
    // There before it is needed: a full heap has no room for threads.
    daemon("weft-fatal", ending::awaitFatal);
    Thread.setDefaultUncaughtExceptionHandler(ending::uncaught);
    return ending;
  }

  /** Spark, if its tasks run in this process, ends it with a status of its own on a full heap. */
  void keepStatusUnderSpark() {
    if (!ShutdownHookManager.get().isShutdownInProgress()) {
      ShutdownHookManager.get().addShutdownHook(this::keepStatus, LAST);
    }
  }

  private void keepStatus() {
    Throwable failure = fatal.get();
    if (failure != null) {
      console.endWith(failure);
      UnfinishedOutputs.giveUpAll();
      ScratchFolder.end();
      Runtime.getRuntime().halt(FATAL_STATUS);
    }
  }

  /** Takes signals from now on, but those that the process was told to ignore. */
  void handleSignals() {
    long ignored = ignoredSignals();
    try {
      if (!isIgnored(ignored, TERM)) {
        new IrqHandler("TERM", signal -> stop("SIGTERM", TERM)).bind();
      }
      if (!isIgnored(ignored, INT)) {
        new IrqHandler("INT", signal -> stop("SIGINT", INT)).bind();
      }
      if (!isIgnored(ignored, HUP)) { // under nohup it is
        new IrqHandler("HUP", signal -> stop("SIGHUP", HUP)).bind();
      }
    } catch (IllegalArgumentException e) { // under -Xrs signals are not the JVM's
      debug("signals end the process as they are", e);
    }
  }

  /** Ends with the process that the property {@code weft.parent} names, whose step this one is. */
  public void followParent() {
    Long parent = Long.getLong("weft.parent");
    if (parent != null) {
      ProcessHandle.of(parent)
          .map(ProcessHandle::onExit)
          .orElseGet(() -> CompletableFuture.completedFuture(ProcessHandle.current()))
          .thenRun(() -> daemon("weft-orphan", () -> stop("the end of its workflow", TERM)));
    }
  }

  /** As shells do for what runs in the background: bit n - 1 of SigIgn is signal n. */
  private static boolean isIgnored(long ignored, int signal) {
    return (ignored >>> (signal - 1) & 1) != 0;
  }

  private static long ignoredSignals() {
    String name = "SigIgn:";
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith(name)) {
          return Long.parseUnsignedLong(line.substring(name.length()).strip(), 16);
        }
      }
    } catch (IOException e) {
      debug("which signals are ignored", e);
    }
    return 0;
  }

  /**
   * Loggers are found when there is something to say: a small job ends before they have started.
   */
  private static void debug(String what, Exception cause) {
    System.getLogger(Ending.class.getName()).log(System.Logger.Level.DEBUG, what, cause);
  }

  private void stop(String name, int number) {
    console.end("stopped by " + name + "; what was not finished is removed");
    exit(SIGNAL_STATUS + number);
  }

  /** What other threads print from here on, Spark's above all, comes from the end itself. */
  private static void exit(int status) {
    System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    daemon(
        "weft-halt",
        () -> {
          Thread.sleep(PATIENCE_MILLIS);
          Runtime.getRuntime().halt(status);
        });
    System.exit(status);
  }

  /** Ends the process if {@code failure} is a full heap; from any thread, with no heap left. */
  boolean noticed(@Nullable Throwable failure) {
    int depth = 0;
    for (Throwable cause = failure; cause != null && depth++ < 100; cause = cause.getCause()) {
      if (cause instanceof OutOfMemoryError) {
        end(cause);
        return true;
      }
    }
    return false;
  }

  /** Ends the process for {@code failure}, soon; from any thread, with no heap left. */
  void end(Throwable failure) {
    fatal.compareAndSet(null, failure);
    fatalCame.countDown();
  }

  private void uncaught(Thread thread, Throwable failure) {
    if (!noticed(failure)) {
      console.uncaught(thread.getName(), failure);
    }
  }

  private void awaitFatal() throws InterruptedException {
    fatalCame.await();
    console.endWith(java.util.Objects.requireNonNull(fatal.get()));
    exit(FATAL_STATUS);
  }

  /** For the thread that runs the command: ends with {@code status}, unless the end is near. */
  public void finish(int status) {
    if (!console.isEnded()) {
      System.exit(status);
    }
    try {
      Thread.currentThread().join(); // whoever ends the process goes on
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private interface Action {
    void run() throws InterruptedException;
  }

  private static void daemon(String name, Action action) {
    Thread thread =
        new Thread(
            () -> {
              try {
                action.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }
}
