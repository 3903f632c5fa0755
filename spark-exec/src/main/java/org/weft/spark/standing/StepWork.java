package org.weft.spark.standing;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.weft.engine.TaskMeasurement;
import org.weft.spark.exchange.WorkQueue;
import org.weft.spark.resident.ReceivedBytes;
import org.weft.spark.resident.RunningWork;
import org.weft.spark.wire.PartitionWork;
import org.weft.spark.wire.Wire;

/**
 * What a step does with each partition, wherever the partition is.
 *
 * @param about what the step does; threads that do it are called so
 */
record StepWork<T, R>(String about, Elements<T> elements, PartitionWork<T, R> work)
    implements WorkQueue.Work {

  /**
   * What became of a partition.
   *
   * @param values that the work has made, in bytes of {@link Wire}
   */
  record Done(int partition, List<byte[]> values, List<TaskMeasurement> measured)
      implements Serializable {
    Done {
      values = new ArrayList<>(values);
      measured = new ArrayList<>(measured);
    }
  }

  @Override
  public Done piece(int partition) {
    Thread thread = Thread.currentThread();
    String name = thread.getName();
    thread.setName(name + ": " + about);
    ReceivedBytes.take(); // of work that failed
    try (RunningWork running = RunningWork.begin()) {
      List<byte[]> values = new ArrayList<>();
      Iterator<R> made = work.of(elements.of(partition));
      made.forEachRemaining(value -> values.add(Wire.bytes(value)));
      long received = ReceivedBytes.take();
      if (received > 0) {
        RunningWork.measure(TaskMeasurement.of("rows", partition, 0, 0, 0, received));
      }
      return new Done(partition, values, running.measured());
    } finally {
      thread.setName(name);
    }
  }
}
