package org.weft.engine.local;

import java.util.ArrayList;
import java.util.List;
import org.weft.engine.Measurements;
import org.weft.engine.TaskMeasurement;

/** Measurements of this process. */
final class LocalMeasurements implements Measurements {
  private static final long serialVersionUID = 1L;

  private final ArrayList<TaskMeasurement> all = new ArrayList<>();

  @Override
  public synchronized void add(TaskMeasurement measurement) {
    all.add(measurement);
  }

  @Override
  public synchronized List<TaskMeasurement> drain() {
    List<TaskMeasurement> drained = new ArrayList<>(all);
    all.clear();
    return drained;
  }
}
