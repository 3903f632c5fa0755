package org.weft.engine;

import java.io.Serializable;
import java.util.List;

/** Where the parts of a job report what they took. Travels to where they run. Thread-safe. */
public interface Measurements extends Serializable {
  void add(TaskMeasurement measurement);

  /** Takes what was measured elsewhere, where the job was started. */
  default void arrived(TaskMeasurement measurement) {
    add(measurement);
  }

  /** What has come since the last call. Asked where the job was started. */
  List<TaskMeasurement> drain();
}
