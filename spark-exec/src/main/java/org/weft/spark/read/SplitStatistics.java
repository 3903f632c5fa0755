package org.weft.spark.read;

import java.io.Serializable;
import org.weft.planner.TensorStatistics;
import org.weft.storage.ReadSummary;

/**
 * What one pass over a split, or over several, has shown.
 *
 * @param values histograms and values; null if there was no entry
 * @param summary the reader's own account
 * @param nanos parsing time, ns, summed over the splits
 * @param peakResidentBytes largest resident set of a process that parsed
 */
public record SplitStatistics(
    TensorStatistics.Builder values, ReadSummary summary, long nanos, long peakResidentBytes)
    implements Serializable {

  /** The statistics of both; may reuse the collectors of either. */
  public SplitStatistics merge(SplitStatistics other) {
    return new SplitStatistics(
        values.merge(other.values),
        summary.merge(other.summary),
        nanos + other.nanos,
        Math.max(peakResidentBytes, other.peakResidentBytes));
  }
}
