package org.weft.storage.codec;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Work for all cores of this process, of which the results are taken in the order in which the work
 * was given, by the thread that gives it.
 */
public final class OrderedWork<T> {
  /** Threads that work: one for each core. */
  public static final int CORES = Runtime.getRuntime().availableProcessors();

  private static final ExecutorService POOL =
      Executors.newFixedThreadPool(
          CORES,
          task -> {
            Thread thread = new Thread(task, "weft-output");
            thread.setDaemon(true);
            return thread;
          });

  /** Takes results. */
  public interface Sink<T> {
    void take(T result) throws IOException;
  }

  private final int waiting;
  private final Sink<T> sink;
  private final Queue<Future<T>> given = new ArrayDeque<>();

  /**
   * @param waiting so many results may wait, or be worked on, when {@link #add} returns
   */
  public OrderedWork(int waiting, Sink<T> sink) {
    this.waiting = waiting;
    this.sink = sink;
  }

  /** Whether all results were taken. */
  public boolean isDone() {
    return given.isEmpty();
  }

  /** Gives work; takes the oldest results if too many wait. Throws what the work of those threw. */
  public void add(Callable<T> work) throws IOException {
    given.add(POOL.submit(work));
    while (given.size() > waiting) {
      takeOldest();
    }
  }

  /** Takes all results. */
  public void finish() throws IOException {
    while (!given.isEmpty()) {
      takeOldest();
    }
  }

  private void takeOldest() throws IOException {
    sink.take(result(given.remove()));
  }

  /** Waits for the work that is left, and drops its results. */
  public void abandon() {
    while (!given.isEmpty()) {
      try {
        result(given.remove());
      } catch (IOException | RuntimeException e) {
        System.getLogger(OrderedWork.class.getName())
            .log(System.Logger.Level.DEBUG, "abandoned work", e);
      }
    }
  }

  private static <T> T result(Future<T> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for work on an output");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      } else if (e.getCause() instanceof Error failure) {
        throw failure;
      }
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    }
  }
}
