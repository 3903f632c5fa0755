package org.weft.storage.file;

import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * What this process is writing and has not published. When the process ends before, by a signal or
 * {@code System.exit}, what is here is removed, while file systems still answer: what was started
 * last goes first. A process that is killed ({@code kill -9}) leaves hidden names. Thread-safe.
 */
public final class UnfinishedOutputs {
  /** Before Spark's, which ends the tasks, and Hadoop's, which closes the file systems. */
  private static final int PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY + 40;

  private static final Deque<Unfinished> OPEN = new ArrayDeque<>();
  private static boolean ending;

  static {
    try {
      Runtime.getRuntime()
          .addShutdownHook(new Thread(UnfinishedOutputs::giveUpAll, "weft-unfinished-outputs"));
    } catch (IllegalStateException e) { // the process is ending
      ending = true;
    }
  }

  /**
   * Keeps Hadoop from closing file systems before all is removed. Loading this class does so: its
   * hooks read Hadoop's configuration, which a process that never asks for those file systems
   * saves.
   */
  private static final class HadoopWaits {
    static {
      if (!ShutdownHookManager.get().isShutdownInProgress()) {
        ShutdownHookManager.get().addShutdownHook(UnfinishedOutputs::giveUpAll, PRIORITY);
      }
    }

    private HadoopWaits() {}

    static void begin() {}
  }

  /** An output that is not published. */
  public interface Unfinished {
    /** Removes it, unless it has been published or removed by now. Called by another thread. */
    void giveUp();
  }

  private UnfinishedOutputs() {}

  /** From now on there are file systems that Hadoop closes when the process ends. */
  static void beforeHadoopCloses() {
    HadoopWaits.begin();
  }

  /**
   * Notes an output that was just begun.
   *
   * @throws WeftException {@code INTERRUPTED} if the process is ending
   */
  public static void add(Unfinished output) {
    synchronized (OPEN) {
      if (!ending) {
        OPEN.push(output);
        return;
      }
    }
    throw ending();
  }

  /** Forgets an output that has been published or removed. */
  public static void remove(Unfinished output) {
    synchronized (OPEN) {
      OPEN.remove(output);
    }
  }

  static WeftException ending() {
    return new WeftException(
        ErrorCode.INTERRUPTED, "the process was told to end; nothing is written, run again");
  }

  /**
   * Removes every output that is not published, and refuses new ones: the process is about to end.
   * Whoever calls while another does returns when nothing is left.
   */
  public static synchronized void giveUpAll() {
    synchronized (OPEN) {
      ending = true;
    }
    for (Unfinished next = last(); next != null; next = last()) {
      try {
        next.giveUp();
      } catch (RuntimeException e) {
        System.getLogger(UnfinishedOutputs.class.getName())
            .log(System.Logger.Level.WARNING, String.valueOf(e.getMessage()));
      }
    }
  }

  private static @org.jspecify.annotations.Nullable Unfinished last() {
    synchronized (OPEN) {
      return OPEN.poll();
    }
  }
}
