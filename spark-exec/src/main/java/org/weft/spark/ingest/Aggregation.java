package org.weft.spark.ingest;

import java.util.Arrays;

/** Values of the rows of one entry, in their order, to its value. Not thread-safe. */
final class Aggregation {
  private final IngestJob job;
  private final boolean sorts;
  private double[] values = new double[16];
  private long count;
  private double sum;
  private double least;
  private double most;

  Aggregation(IngestJob job) {
    this.job = job;
    this.sorts =
        job.reproducible()
            && (job.aggregate() == IngestJob.Aggregate.SUM
                || job.aggregate() == IngestJob.Aggregate.MEAN);
  }

  void clear() {
    count = 0;
    sum = 0;
  }

  void add(double value) {
    if (sorts) {
      int at = Math.toIntExact(count);
      if (at == values.length) {
        values = Arrays.copyOf(values, Math.multiplyExact(2, at));
      }
      values[at] = value;
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
    if (!sorts) {
      return sum;
    }
    Arrays.sort(values, 0, (int) count);
    double ordered = 0;
    for (int at = 0; at < count; at++) {
      ordered += values[at];
    }
    return ordered;
  }
}
