package org.weft.spark.standing;

import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.weft.spark.exchange.WorkQueue;
import org.weft.spark.resident.FactorBlocks;

/**
 * Does pieces of work until the driver dismisses it, or sends nothing for some time, or Spark ends
 * its job. A driver that is silent may wait for another job, for which it needs the cores.
 *
 * @param number of the queue that the pieces come by
 */
record StandingTask(long number) implements VoidFunction<Iterator<Integer>> {
  private static final Duration LOOK_UP = Duration.ofMillis(200);
  private static final Duration SILENCE = Duration.ofSeconds(3);

  @Override
  public void call(Iterator<Integer> place) {
    FactorBlocks.here(); // others reach this process from now on
    WorkQueue queue = WorkQueue.of(number);
    TaskContext task = TaskContext.get();
    try {
      while (!queue.isClosed()) {
        if (task.isInterrupted()) {
          queue.close("its job was cancelled");
          task.killTaskIfInterrupted();
        }
        Optional<Runnable> piece = queue.next(LOOK_UP);
        piece.ifPresent(Runnable::run);
        if (piece.isEmpty() && queue.silence().compareTo(SILENCE) > 0) {
          queue.close("the driver was silent");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      queue.close("its task was interrupted");
    }
  }
}
