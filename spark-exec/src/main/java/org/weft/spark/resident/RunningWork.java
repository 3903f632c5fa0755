package org.weft.spark.resident;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.spark.TaskContext;
import org.jspecify.annotations.Nullable;
import org.weft.engine.TaskMeasurement;

/**
 * What the thread works on, at whose end it gives back what it has leased: the Spark task, or a
 * piece of work of a task that does one after another.
 */
public final class RunningWork implements AutoCloseable {
  private static final ThreadLocal<@Nullable RunningWork> PIECE = new ThreadLocal<>();

  private final Deque<Runnable> atEnd = new ArrayDeque<>();
  private final List<TaskMeasurement> measured = new ArrayList<>();

  private RunningWork() {}

  /** A piece of work of the running task begins in this thread. */
  public static RunningWork begin() {
    RunningWork begun = new RunningWork();
    PIECE.set(begun);
    return begun;
  }

  /**
   * The piece, or the task.
   *
   * @param use names what needs one, for the error outside a Spark task
   */
  static Object current(String use) {
    RunningWork piece = PIECE.get();
    return piece != null ? piece : task(use);
  }

  private static TaskContext task(String use) {
    TaskContext task = TaskContext.get();
    if (task == null) {
      throw new IllegalStateException(use + " outside a Spark task");
    }
    return task;
  }

  /** Does something when the piece or the task ends, however it ends. */
  static void atEnd(String use, Runnable action) {
    RunningWork piece = PIECE.get();
    if (piece != null) {
      piece.atEnd.push(action);
      return;
    }
    task(use)
        .addTaskCompletionListener(
            done -> {
              action.run();
            });
  }

  /** Keeps a measurement for whoever asked for the piece; false in a Spark task, which reports. */
  public static boolean measure(TaskMeasurement measurement) {
    RunningWork piece = PIECE.get();
    return piece != null && piece.measured.add(measurement);
  }

  /** What the piece has measured. */
  public List<TaskMeasurement> measured() {
    return measured;
  }

  @Override
  public void close() {
    PIECE.remove();
    while (!atEnd.isEmpty()) {
      atEnd.pop().run();
    }
  }
}
