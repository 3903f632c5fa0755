package org.weft.spark.ingest;

import java.util.Arrays;

/**
 * Values of the rows of one entry, in their order, to its value: with the same bits as Spark gives
 * for the same order. Not thread-safe.
 */
final class Aggregation {
  private final IngestJob job;
  private double[] values = new double[16];
  private int count;
  private double sum;
  private double least;
  private double most;

  Aggregation(IngestJob job) {
    this.job = job;
  }

  void clear() {
    count = 0;
    sum = 0;
  }

  void add(double value) {
    if (job.reproducible()) {
      if (count == values.length) {
        values = Arrays.copyOf(values, 2 * count);
      }
      values[count] = value;
    }
    least = count == 0 || compare(value, least) < 0 ? value : least;
    most = count == 0 || compare(value, most) > 0 ? value : most;
    sum += value;
    count++;
  }

  /** NaN is more than any number, and zeros are the same, as in SQL. */
  private static int compare(double one, double other) {
    return one == other ? 0 : Double.compare(one, other);
  }

  /** The value of the entry; NaN where SQL has none. */
  double result() {
    double value = untransformed();
    return switch (job.transform()) {
      case NONE -> value;
      case LOG1P -> StrictMath.log1p(value);
      case SQRT -> Math.sqrt(value);
    };
  }

  /** Whether the transform has no value at all here, which no option allows. */
  boolean isNone() {
    return job.transform() == IngestJob.Transform.LOG1P && untransformed() <= -1;
  }

  /** Whether {@link #result}, which is {@code value}, is none that the job allows. */
  boolean isWrong(double value) {
    return isNone() || !job.allowNonfinite() && !Double.isFinite(value);
  }

  private double untransformed() {
    return switch (job.aggregate()) {
      case SUM -> sum();
      case COUNT -> count;
      case MEAN -> sum() / count;
      case MIN -> least;
      case MAX -> most;
      case ANY -> 1;
    };
  }

  private double sum() {
    if (!job.reproducible()) {
      return sum;
    }
    Arrays.sort(values, 0, count);
    double ordered = 0;
    for (int at = 0; at < count; at++) {
      ordered += values[at];
    }
    return ordered;
  }
}
