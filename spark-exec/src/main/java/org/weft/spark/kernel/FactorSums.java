package org.weft.spark.kernel;

import java.io.Serializable;

/**
 * What a task of a factor's update sends to the driver.
 *
 * @param partition in whose order sums are added
 * @param gram {@code A^T A} of the task's rows: R x R; empty if {@code shared} is not
 * @param inner the inner sums of the task's rows, or empty
 * @param firstRow of {@code shared}
 * @param shared rows of the MTTKRP that other tasks have a part in, row-major, or empty
 */
@SuppressWarnings("ArrayRecordComponent")
public record FactorSums(
    int partition, double[] gram, double[] inner, long firstRow, double[] shared)
    implements Serializable {
  private static final double[] NONE = {};

  static FactorSums of(int partition, double[] gram, double[] inner) {
    return new FactorSums(partition, gram, inner, 0, NONE);
  }

  static FactorSums shared(int partition, long firstRow, double[] rows) {
    return new FactorSums(partition, NONE, NONE, firstRow, rows);
  }

  static FactorSums none(int partition) {
    return of(partition, NONE, NONE);
  }
}
