package org.weft.spark.kernel;

import java.io.Serializable;
import java.util.Map;
import org.weft.decomposition.Sums;

/**
 * What a task of a step sends to the driver.
 *
 * @param partition in whose order sums are added
 * @param sums over the task's rows
 * @param firstRow of {@code shared}
 * @param shared rows of the statement's result that other tasks have a part in, row-major, or empty
 */
@SuppressWarnings("ArrayRecordComponent")
public record StepPart(int partition, Sums sums, long firstRow, double[] shared)
    implements Serializable {
  private static final double[] NONE = {};

  static StepPart of(int partition, Sums sums) {
    return new StepPart(partition, sums, 0, NONE);
  }

  static StepPart shared(int partition, long firstRow, double[] rows) {
    return new StepPart(partition, new Sums(Map.of()), firstRow, rows);
  }
}
