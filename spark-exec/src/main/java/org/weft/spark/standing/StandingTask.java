package org.weft.spark.standing;

import java.time.Duration;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.weft.spark.exchange.WorkQueue;
import org.weft.spark.resident.FactorBlocks;

/**
 * Does pieces of work until the driver dismisses it, or Spark ends its job.
 *
 * @param number of the queue that the pieces come by
 */
record StandingTask(long number) implements VoidFunction<Iterator<Integer>> {
  private static final Duration LOOK_UP = Duration.ofMillis(200);

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
        queue.next(LOOK_UP).ifPresent(Runnable::run);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      queue.close("its task was interrupted");
    }
  }
}
