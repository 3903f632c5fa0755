package org.weft.spark.read;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.ReadSummary;

/**
 * What one pass over a split, or over several, has shown.
 *
 * @param values histograms and values
 * @param summary the reader's own account
 * @param blocks blocks of entries, by number of the split
 * @param nanos parsing time, ns, summed over the splits
 * @param peakResidentBytes largest resident set of a process that parsed
 */
public record SplitStatistics(
    TensorStatistics.Builder values,
    ReadSummary summary,
    Map<Integer, Long> blocks,
    long nanos,
    long peakResidentBytes)
    implements Serializable {

  /** The statistics of both; may reuse the collectors of either. */
  public SplitStatistics merge(SplitStatistics other) {
    Map<Integer, Long> all = new TreeMap<>(blocks);
    all.putAll(other.blocks);
    return new SplitStatistics(
        values.merge(other.values),
        summary.merge(other.summary),
        all,
        nanos + other.nanos,
        Math.max(peakResidentBytes, other.peakResidentBytes));
  }
}
