package org.weft.statistics;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.ColumnPasses;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * What one pass over a tensor tells about it. Entries are counted as they come: duplicates are
 * separate entries, and explicit zeros count.
 *
 * @param shape mode sizes
 * @param entries stored entries
 * @param histograms entries per slice, one histogram for each mode
 * @param minValue least value, NaN ignored; positive infinity when there is none
 * @param maxValue greatest value, NaN ignored; negative infinity when there is none
 * @param normSquared sum of the squared values
 * @param nonfinite values that are NaN or infinite
 * @param samples how the entries of some slices of each mode lie in other modes; empty where that
 *     was not counted
 */
public record TensorStatistics(
    TensorShape shape,
    long entries,
    List<ModeHistogram> histograms,
    double minValue,
    double maxValue,
    double normSquared,
    long nonfinite,
    List<SliceSample> samples)
    implements Serializable {

  public TensorStatistics {
    samples = new ArrayList<>(samples);
    // An ArrayList rather than List.copyOf: its serial form is known to every serialiser.
    histograms = new ArrayList<>(histograms);
    if (histograms.size() != shape.order()) {
      throw new IllegalArgumentException(
          histograms.size() + " histograms for a tensor of order " + shape.order());
    }
    for (int m = 0; m < shape.order(); m++) {
      if (histograms.get(m).largestCoordinate() >= shape.size(m)) {
        throw new WeftException(
            ErrorCode.COORDINATE_OUT_OF_RANGE,
            "mode "
                + m
                + " has size "
                + shape.size(m)
                + " but an entry at coordinate "
                + histograms.get(m).largestCoordinate()
                + " (counted from 0); correct the declared size or the entry");
      }
    }
  }

  /** Statistics without samples. */
  public TensorStatistics(
      TensorShape shape,
      long entries,
      List<ModeHistogram> histograms,
      double minValue,
      double maxValue,
      double normSquared,
      long nonfinite) {
    this(shape, entries, histograms, minValue, maxValue, normSquared, nonfinite, List.of());
  }

  /** Stored entries over cells; 0 for a tensor without cells. */
  public double density() {
    double cells = shape.cells();
    return cells == 0 ? 0 : entries / cells;
  }

  /** Frobenius norm. */
  public double norm() {
    return Math.sqrt(normSquared);
  }

  public ModeHistogram histogram(int mode) {
    return histograms.get(mode);
  }

  /** How the entries spread over the slices of {@code mode}. */
  public SliceSummary slices(int mode) {
    return histograms.get(mode).summary(shape.size(mode));
  }

  /** These statistics for a tensor declared to have {@code declared} mode sizes. */
  public TensorStatistics withShape(TensorShape declared) {
    return new TensorStatistics(
        declared, entries, histograms, minValue, maxValue, normSquared, nonfinite, samples);
  }

  /** These statistics with samples that were drawn of the same entries. */
  public TensorStatistics withSamples(List<SliceSample> drawn) {
    return new TensorStatistics(
        shape, entries, histograms, minValue, maxValue, normSquared, nonfinite, drawn);
  }

  /**
   * These statistics and those of other entries of the tensor, which is as large as both. Samples
   * of these statistics change.
   */
  public TensorStatistics merge(TensorStatistics more) {
    List<ModeHistogram> counts = new ArrayList<>();
    long[] sizes = new long[shape.order()];
    for (int mode = 0; mode < sizes.length; mode++) {
      counts.add(histograms.get(mode).merge(more.histogram(mode)));
      sizes[mode] = Math.max(shape.size(mode), more.shape.size(mode));
    }
    return new TensorStatistics(
        TensorShape.of(sizes),
        entries + more.entries,
        counts,
        Math.min(minValue, more.minValue),
        Math.max(maxValue, more.maxValue),
        normSquared + more.normSquared,
        nonfinite + more.nonfinite,
        entries == 0 ? more.samples : SliceSample.merged(samples, more.samples, counts));
  }

  /** These statistics with the entries moved to other slices, in a tensor of another shape. */
  public TensorStatistics withHistograms(TensorShape moved, List<ModeHistogram> counts) {
    return new TensorStatistics(moved, entries, counts, minValue, maxValue, normSquared, nonfinite);
  }

  /** A collector of statistics for a tensor of the given order. */
  public static Builder builder(int order) {
    return new Builder(order);
  }

  /** Collects statistics block by block; collectors of parts merge. Not thread-safe. */
  public static final class Builder implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ArrayList<ModeHistogram> histograms = new ArrayList<>();
    private long entries;
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;
    private double normSquared;
    private long nonfinite;
    private ArrayList<SliceSample> samples = new ArrayList<>();

    private Builder(int order) {
      for (int m = 0; m < order; m++) {
        histograms.add(new ModeHistogram());
      }
    }

    /**
     * The same collector, which draws samples of slices as well. To be called before entries are
     * counted, and on every collector of a tensor's parts.
     */
    public Builder sampling() {
      samples = SliceSample.ofModes(order());
      return this;
    }

    /** An empty collector of the same kind, for a part of the tensor; it merges into this one. */
    public Builder ofPart() {
      Builder part = new Builder(order());
      part.samples = SliceSample.ofPart(samples);
      return part;
    }

    /** Number of modes. */
    public int order() {
      return histograms.size();
    }

    /** Counts a block. Cost {@code O(order size)}. */
    public Builder add(CooBlock block) {
      return addSlices(block).addValues(block);
    }

    /**
     * Counts the entries of slices alone: those of several parts of a tensor may go to one
     * collector in any order.
     */
    public Builder addSlices(CooBlock block) {
      if (block.order() != histograms.size()) {
        throw new IllegalArgumentException(
            "a block of order " + block.order() + " for order " + histograms.size());
      }
      int size = block.size();
      for (int m = 0; m < histograms.size(); m++) {
        if (block.isWide(m)) {
          histograms.get(m).addAll(block.longColumn(m), 0, size);
        } else {
          histograms.get(m).addAll(block.intColumn(m), 0, size);
        }
      }
      samples.forEach(sample -> sample.add(block, histograms));
      return this;
    }

    /** Counts the values alone; their sums depend on the order of the blocks in the last bits. */
    public Builder addValues(CooBlock block) {
      double[] sums = {0, min, max, 0};
      ColumnPasses.summarize(block.values(), block.size(), sums);
      normSquared += sums[0];
      min = sums[1];
      max = sums[2];
      nonfinite += (long) sums[3];
      entries += block.size();
      return this;
    }

    /** Adds what {@code other} counted; {@code other} stays as it is. */
    public Builder merge(Builder other) {
      if (other.histograms.size() != histograms.size()) {
        throw new IllegalArgumentException(
            "order " + other.histograms.size() + " does not merge into " + histograms.size());
      }
      for (int m = 0; m < histograms.size(); m++) {
        histograms.get(m).merge(other.histograms.get(m));
      }
      samples = SliceSample.merged(samples, other.samples, histograms);
      entries += other.entries;
      min = Math.min(min, other.min);
      max = Math.max(max, other.max);
      normSquared += other.normSquared;
      nonfinite += other.nonfinite;
      return this;
    }

    /** The statistics of a tensor whose mode sizes are the largest coordinates + 1. */
    public TensorStatistics build() {
      long[] sizes = histograms.stream().mapToLong(h -> h.largestCoordinate() + 1).toArray();
      return build(TensorShape.of(sizes));
    }

    /**
     * The statistics of a tensor of declared shape.
     *
     * @throws WeftException COORDINATE_OUT_OF_RANGE when an entry lies outside
     */
    public TensorStatistics build(TensorShape shape) {
      return new TensorStatistics(
          shape, entries, histograms, min, max, normSquared, nonfinite, samples);
    }
  }
}
