package org.weft.spark.kernel;

import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.rows.Sums;
import org.weft.spark.exchange.RowPlace;

/**
 * What a task of a step sends to the driver.
 *
 * @param partition in whose order sums are added
 * @param sums over the task's rows
 * @param range of rows that the task has stored
 * @param place where that is; none without such rows
 * @param firstRow of {@code shared}
 * @param shared rows of the statement's result that other tasks have a part in, row-major, or empty
 */
@SuppressWarnings("ArrayRecordComponent")
public record StepPart(
    int partition, Sums sums, int range, @Nullable RowPlace place, long firstRow, double[] shared)
    implements Serializable {
  private static final double[] NONE = {};

  static StepPart empty(int partition) {
    return new StepPart(partition, new Sums(Map.of()), 0, null, 0, NONE);
  }

  static StepPart stored(int partition, Sums sums, int range, RowPlace place) {
    return new StepPart(partition, sums, range, place, 0, NONE);
  }

  static StepPart shared(int partition, long firstRow, double[] rows) {
    return new StepPart(partition, new Sums(Map.of()), 0, null, firstRow, rows);
  }
}
