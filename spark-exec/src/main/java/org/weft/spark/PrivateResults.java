package org.weft.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeMemory;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Results of which several threads make one each, to be added up: the first is the whole result
 * itself, the others are private and shared by all passes. A cell is added up in the order of the
 * results, so that bits do not depend on timing. Memory: {@code (results - 1) I R} values, for the
 * largest I that was asked for.
 */
final class PrivateResults implements AutoCloseable {
  private static final int CHUNK = 4096; // values that stay in the first-level cache

  private final MemoryScope scope;
  private final ExecutorService threads;
  private final List<TensorStorage> buffers = new ArrayList<>();

  /**
   * @param most cells of the largest result
   * @param results that are made at a time
   * @param scope owner of the private results, which the caller closes after this
   */
  PrivateResults(long most, int results, MemoryScope scope) {
    this.scope = scope;
    for (int number = 1; number < results; number++) {
      buffers.add(TensorStorage.dense(scope, TensorShape.of(most), ValueType.DOUBLE));
    }
    threads =
        Executors.newFixedThreadPool(
            Math.max(1, results - 1),
            task -> {
              Thread thread = new Thread(task, "weft private results");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** {@code result}, and as many private ones of its shape as make {@code count} in all. */
  List<TensorStorage> of(TensorStorage result, int count) {
    List<TensorStorage> all = new ArrayList<>(List.of(result));
    for (TensorStorage buffer : buffers.subList(0, count - 1)) {
      all.add(
          TensorStorage.denseView(
              scope, result.shape(), ValueType.DOUBLE, buffer.vals().address()));
    }
    return all;
  }

  /** Work on one of several results. */
  interface Work<T> {
    T run(int number);
  }

  /** Runs {@code work} for numbers below {@code count}, each on a thread; waits for all of them. */
  <T> List<T> each(int count, Work<T> work) {
    List<Future<T>> others =
        IntStream.range(1, count)
            .mapToObj(number -> threads.submit((Callable<T>) () -> work.run(number)))
            .toList();
    List<T> done = new ArrayList<>();
    try {
      done.add(work.run(0));
    } finally {
      // Nobody may free what they work on, whatever happened here.
      others.forEach(PrivateResults::await);
    }
    for (Future<T> other : others) {
      try {
        done.add(other.get());
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException("a finished task was waited for", e);
      }
    }
    return done;
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

  /** Adds the other results to the first. Cost {@code O(results cells)}, among the threads. */
  void addUp(List<TensorStorage> results) {
    long cells = results.get(0).vals().length();
    int parts = results.size();
    each(
        parts,
        part -> {
          addUp(results, cells * part / parts, cells * (part + 1) / parts);
          return part;
        });
  }

  private static void addUp(List<TensorStorage> results, long from, long to) {
    double[] sums = new double[CHUNK];
    double[] other = new double[CHUNK];
    for (long at = from; at < to; at += CHUNK) {
      int count = (int) Math.min(CHUNK, to - at);
      long first = results.get(0).vals().address() + at * Double.BYTES;
      NativeMemory.copyToArray(first, sums, 0, count);
      for (TensorStorage result : results.subList(1, results.size())) {
        long address = result.vals().address() + at * Double.BYTES;
        NativeMemory.copyToArray(address, other, 0, count);
        for (int i = 0; i < count; i++) {
          sums[i] += other[i];
        }
      }
      NativeMemory.copyFromArray(sums, 0, first, count);
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
