package org.weft.spark.read;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.weft.planner.ModeHistogram;
import org.weft.tensor.CooBlock;

/** What is known of a part of a tensor after parsing it once. Mutable while entries are added. */
public final class SplitStatistics {
  private final List<ModeHistogram> histograms = new ArrayList<>();
  private long entries;
  private double valueNormSquared;
  private double minimum = Double.POSITIVE_INFINITY;
  private double maximum = Double.NEGATIVE_INFINITY;
  private long peakResidentBytes;

  void add(CooBlock block) {
    if (histograms.isEmpty()) {
      for (int mode = 0; mode < block.order(); mode++) {
        histograms.add(new ModeHistogram());
      }
    }
    for (int mode = 0; mode < block.order(); mode++) {
      if (block.isWide(mode)) {
        histograms.get(mode).addAll(block.longColumn(mode), 0, block.size());
      } else {
        histograms.get(mode).addAll(block.intColumn(mode), 0, block.size());
      }
    }
    for (int e = 0; e < block.size(); e++) {
      double value = block.value(e);
      valueNormSquared += value * value;
      minimum = Math.min(minimum, value);
      maximum = Math.max(maximum, value);
    }
    entries += block.size();
  }

  void peakResidentBytes(long bytes) {
    peakResidentBytes = bytes;
  }

  /** The statistics of both parts; {@code this} comes first in the file. */
  public SplitStatistics merge(SplitStatistics other) {
    SplitStatistics merged = new SplitStatistics();
    int order = Math.max(histograms.size(), other.histograms.size());
    for (int mode = 0; mode < order; mode++) {
      if (histograms.isEmpty() || other.histograms.isEmpty()) {
        merged.histograms.add((histograms.isEmpty() ? other : this).histograms.get(mode));
      } else {
        merged.histograms.add(histograms.get(mode).merge(other.histograms.get(mode)));
      }
    }
    merged.entries = entries + other.entries;
    merged.valueNormSquared = valueNormSquared + other.valueNormSquared;
    merged.minimum = Math.min(minimum, other.minimum);
    merged.maximum = Math.max(maximum, other.maximum);
    merged.peakResidentBytes = Math.max(peakResidentBytes, other.peakResidentBytes);
    return merged;
  }

  /** Number of columns of coordinates; 0 if no entry was seen. */
  public int order() {
    return histograms.size();
  }

  public List<ModeHistogram> histograms() {
    return histograms;
  }

  public long entries() {
    return entries;
  }

  /** Sum of squared values, duplicates counted apart. */
  public double valueNormSquared() {
    return valueNormSquared;
  }

  /** Smallest value; +infinity without entries. */
  public double minimum() {
    return minimum;
  }

  /** Largest value; -infinity without entries. */
  public double maximum() {
    return maximum;
  }

  public long peakResidentBytes() {
    return peakResidentBytes;
  }

  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(histograms.size());
    for (ModeHistogram histogram : histograms) {
      histogram.writeTo(out);
    }
    out.writeLong(entries);
    out.writeDouble(valueNormSquared);
    out.writeDouble(minimum);
    out.writeDouble(maximum);
    out.writeLong(peakResidentBytes);
  }

  public static SplitStatistics readFrom(DataInput in) throws IOException {
    SplitStatistics statistics = new SplitStatistics();
    int order = in.readInt();
    for (int mode = 0; mode < order; mode++) {
      statistics.histograms.add(ModeHistogram.readFrom(in));
    }
    statistics.entries = in.readLong();
    statistics.valueNormSquared = in.readDouble();
    statistics.minimum = in.readDouble();
    statistics.maximum = in.readDouble();
    statistics.peakResidentBytes = in.readLong();
    return statistics;
  }
}
