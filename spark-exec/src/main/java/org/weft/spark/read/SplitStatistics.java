package org.weft.spark.read;

import java.io.Serializable;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.ReadSummary;

/**
 * What one pass over a split, or over several, has shown.
 *
 * @param values histograms and values
 * @param summary the reader's own account
 * @param split number of the split; of the first one after a merge
 * @param blocks blocks of entries
 * @param nanos parsing time, ns, summed over the splits
 * @param peakResidentBytes largest resident set of a process that parsed
 */
public record SplitStatistics(
    TensorStatistics.Builder values,
    ReadSummary summary,
    int split,
    long blocks,
    long nanos,
    long peakResidentBytes)
    implements Serializable {

  /** The statistics of both; may reuse the collectors of either. */
  public SplitStatistics merge(SplitStatistics other) {
    return new SplitStatistics(
        values.merge(other.values),
        summary.merge(other.summary),
        Math.min(split, other.split),
        blocks + other.blocks,
        nanos + other.nanos,
        Math.max(peakResidentBytes, other.peakResidentBytes));
  }
}
