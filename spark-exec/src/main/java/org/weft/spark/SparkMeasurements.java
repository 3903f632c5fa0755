package org.weft.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.util.CollectionAccumulator;
import org.weft.engine.Measurements;
import org.weft.engine.TaskMeasurement;
import org.weft.spark.resident.RunningWork;

/** Measurements that come back with the tasks that made them. */
final class SparkMeasurements implements Measurements {
  private static final long serialVersionUID = 1L;

  private final CollectionAccumulator<TaskMeasurement> accumulator;

  SparkMeasurements(SparkContext context) {
    this.accumulator = context.collectionAccumulator("weft measurements");
  }

  @Override
  public void add(TaskMeasurement measurement) {
    SparkEnv env = SparkEnv.get();
    TaskMeasurement here = env == null ? measurement : measurement.in(env.executorId());
    if (!RunningWork.measure(here)) {
      accumulator.add(here);
    }
  }

  @Override
  public void arrived(TaskMeasurement measurement) {
    accumulator.add(measurement);
  }

  @Override
  public List<TaskMeasurement> drain() {
    List<TaskMeasurement> all = new ArrayList<>(accumulator.value());
    accumulator.reset();
    return all;
  }
}
