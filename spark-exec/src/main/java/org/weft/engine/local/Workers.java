package org.weft.engine.local;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.weft.error.WeftException;

/**
 * Java threads for what is not a kernel: reading, packing, and kernels that run several at a time.
 */
public final class Workers implements AutoCloseable {
  private final int threads;
  private final ExecutorService pool;

  /**
   * @param threads that work at a time, the calling one not counted: it waits
   */
  public Workers(int threads) {
    this.threads = threads;
    this.pool =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "weft worker");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Threads that work at a time. */
  int threads() {
    return threads;
  }

  /** Work on one of several numbers. */
  public interface Work<T> {
    T run(int number) throws Exception;
  }

  /**
   * Runs {@code work} for the numbers below {@code count} and waits for all of it, whatever
   * happens: nobody may free what they work on. The first failure is thrown when the last work has
   * ended.
   */
  public <T> List<T> each(int count, Work<T> work) {
    List<Future<T>> running = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      int number = n;
      running.add(pool.submit(() -> work.run(number)));
    }
    running.forEach(Workers::await);
    List<T> results = new ArrayList<>();
    for (Future<T> done : running) {
      try {
        results.add(done.get());
      } catch (ExecutionException e) {
        throw rethrown(e.getCause());
      } catch (InterruptedException e) {
        throw new IllegalStateException("finished work was waited for", e);
      }
    }
    return results;
  }

  /**
   * Runs {@code work} as {@link #each} does, and hands each result to {@code then}, on this thread
   * and in the order of the numbers, as soon as it is there. After a failure no more work begins.
   */
  public <T> void inOrder(int count, Work<T> work, Consumer<T> then) {
    Deque<Future<T>> running = new ArrayDeque<>();
    for (int n = 0; n < count; n++) {
      int number = n;
      running.add(pool.submit(() -> work.run(number)));
    }
    try {
      while (!running.isEmpty()) {
        Future<T> next = running.remove(); // its result is not kept
        await(next);
        then.accept(next.get());
      }
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    } catch (InterruptedException e) {
      throw new IllegalStateException("finished work was waited for", e);
    } finally {
      running.forEach(rest -> rest.cancel(false));
      running.stream().filter(rest -> !rest.isCancelled()).forEach(Workers::await);
    }
  }

  private static RuntimeException rethrown(@Nullable Throwable cause) {
    if (cause instanceof WeftException weft) {
      return new WeftException(weft.code(), String.valueOf(weft.getMessage()), weft);
    }
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException unchecked
        ? unchecked
        : new IllegalStateException(cause);
  }

  /** Waits for the end of {@code task}; a thread that is interrupted meanwhile stays so. */
  private static void await(Future<?> task) {
    boolean interrupted = false;
    while (!task.isDone()) {
      try {
        task.get();
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    pool.shutdown();
  }
}
