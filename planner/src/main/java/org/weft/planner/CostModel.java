package org.weft.planner;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.ModeHistogram;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStatistics;

/**
 * Predicts what a kernel does on a partition.
 *
 * <p>Positions of a level are the expected number of distinct prefixes among n uniform entries,
 * {@code c (1 - exp(-n / c))} for c cells: an upper estimate on skewed tensors. Every position
 * below the root reads a row of the operand of its mode; the rows of the heaviest slices that fit
 * the cache are hits at {@link MachineParameters#cachedBytesPerSecond}, other rows cost whole cache
 * lines at stream bandwidth, as do storage (once) and result (read and written).
 */
final class CostModel {
  private static final long CACHE_LINE = 64;

  private final TensorStatistics statistics;
  private final MachineParameters machine;
  private final int threads;
  private final Map<String, Double> hits = new HashMap<>();

  CostModel(TensorStatistics statistics, MachineParameters machine, int threads) {
    this.statistics = statistics;
    this.machine = machine;
    this.threads = threads;
  }

  List<PartitionCosts> partitions(KernelPlan kernel, ModePartitioning partitioning) {
    ModeHistogram histogram = statistics.histogram(kernel.partitionedMode());
    double[] entries = partitioning.expectedEntries(histogram);
    List<PartitionCosts> costs = new ArrayList<>();
    for (int p = 0; p < entries.length; p++) {
      SliceRange range = partitioning.ranges().get(p);
      if (range.piece() > 0) {
        PartitionCosts first = costs.get(p - 1);
        costs.add(
            new PartitionCosts(
                range,
                first.entries(),
                first.storageBytes(),
                first.resultBytes(),
                first.bytesMoved(),
                first.flops(),
                first.seconds()));
      } else {
        double slices = histogram.nonemptyBetween(range.from(), range.to());
        costs.add(partition(kernel, range, entries[p], slices));
      }
    }
    return costs;
  }

  private PartitionCosts partition(
      KernelPlan kernel, SliceRange range, double entries, double slices) {
    double[] positions = positions(kernel.tensorFormat(), entries, slices);
    double storage = storageBytes(kernel.tensorFormat(), positions);
    double result = resultBytes(kernel, range, positions);
    double flops = 0;
    double cached = 0;
    double moved = storage + 2 * result;
    int valueBytes = kernel.tensorFormat().valueType().bytes();
    for (Operand operand : kernel.operands()) {
      int level = levelOf(kernel.tensorFormat(), operand.mode());
      double reads = positions[level];
      long rowBytes = operand.rowBytes(valueBytes);
      double hit = hitFraction(kernel, operand);
      long lineBytes = (rowBytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
      double compulsory = Math.min(reads, statistics.shape().size(operand.mode())) * rowBytes;
      flops += 2 * reads * Math.max(1, operand.columns());
      cached += reads * hit * rowBytes;
      moved += Math.max(compulsory, reads * (1 - hit) * lineBytes);
    }
    double seconds =
        Math.max(
                flops / machine.flopsPerSecond(),
                cached / machine.cachedBytesPerSecond() + moved / machine.streamBytesPerSecond())
            / threads;
    return new PartitionCosts(range, entries, storage, result, moved, flops, seconds);
  }

  /** Expected positions of each level. */
  double[] positions(TensorFormat format, double entries, double rootSlices) {
    TensorShape shape = statistics.shape();
    double[] positions = new double[format.levelCount()];
    double cells = rootSlices;
    boolean listed = false;
    for (int level = 0; level < positions.length; level++) {
      if (level > 0) {
        cells *= format.levelSize(shape, level);
      }
      listed |= !format.level(level).properties().unique();
      double spread = cells == 0 ? 0 : Math.min(entries, -cells * Math.expm1(-entries / cells));
      positions[level] = listed ? entries : spread;
    }
    if (positions.length > 0) {
      positions[0] = Math.min(entries, rootSlices);
      positions[positions.length - 1] = entries;
    }
    return positions;
  }

  private static double storageBytes(TensorFormat format, double[] positions) {
    double bytes = 0;
    double parents = 1;
    for (int level = 0; level < positions.length; level++) {
      LevelSpec spec = format.level(level);
      bytes += positions[level] * spec.crdWidth().bytes() + (parents + 1) * spec.posWidth().bytes();
      parents = positions[level];
    }
    return bytes + parents * format.valueType().bytes();
  }

  private static double resultBytes(KernelPlan kernel, SliceRange range, double[] positions) {
    int valueBytes = kernel.tensorFormat().valueType().bytes();
    double rowBytes = valueBytes * (double) Math.max(1, kernel.rank());
    if (kernel.merge() == Merge.ROWS) {
      return range.slices() * rowBytes;
    }
    if (kernel.merge() == Merge.SUM) {
      return rowBytes;
    }
    double bytes = 0;
    double parents = 1;
    for (int level = 0; level < positions.length - 1; level++) {
      LevelSpec spec = kernel.resultFormat().level(level);
      bytes += positions[level] * spec.crdWidth().bytes() + (parents + 1) * spec.posWidth().bytes();
      parents = positions[level];
    }
    return bytes + parents * rowBytes;
  }

  /** Share of the reads of an operand that find its row in the operand's share of the cache. */
  private double hitFraction(KernelPlan kernel, Operand operand) {
    long rowBytes = operand.rowBytes(kernel.tensorFormat().valueType().bytes());
    long rows = (long) (machine.cacheBytes() / kernel.operands().size() / rowBytes);
    if (rows >= statistics.shape().size(operand.mode())) {
      return 1;
    }
    return hits.computeIfAbsent(
        operand.mode() + "/" + rows,
        key -> statistics.histogram(operand.mode()).shareOfHeaviest(rows));
  }

  private static int levelOf(TensorFormat format, int mode) {
    for (int level = 0; level < format.levelCount(); level++) {
      if (format.modeOf(level) == mode) {
        return level;
      }
    }
    throw new IllegalArgumentException("no level stores mode " + mode + " in " + format);
  }
}
