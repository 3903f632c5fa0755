package org.weft.planner.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.planner.machine.MachineConstant;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.PartitionCosts;
import org.weft.planner.partition.SliceRange;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;

/**
 * Predicts what a kernel does on a partition.
 *
 * <p>Positions of a level are those that {@link Prefixes} expects. Every position below the root
 * reads a row of the operand of its mode; the rows of the heaviest slices that fit the cache, or of
 * a tile that does, are hits at {@link MachineParameters#cachedBytesPerSecond}, or at {@link
 * MachineParameters#nearBytesPerSecond} in the first-level cache, as are rows that a list of
 * entries repeats; those that fit the cache of all threads come at {@link
 * MachineParameters#sharedBytesPerSecond}. Sums over rows that are too long for the registers are
 * read and written for every row (see {@link #SPILLED}). Other rows cost whole cache lines and one
 * more at stream bandwidth, as do storage (once) and result (read and written, for each tile). A
 * kernel on panels of columns does all that for each panel, with shorter rows, and copies its
 * matrices first. Where a result of all rows is summed over the partitions, an addition to a row
 * counts as {@link #ADDED_ROW} reads of it from the cache, or two from memory; the cells that the
 * shares of a parallel kernel have of their own are cleared and added up by one thread. A loop of
 * unforeseeable length costs {@link MachineConstant#LOOP}.
 */
public final class CostModel {
  private static final long CACHE_LINE = 64;

  /** Bytes that a copied byte costs: read, clear, write. */
  private static final double COPYING = 3;

  /** Share of the vector registers that a row may take: others hold sums of the levels above. */
  private static final double ROW_SHARE = 0.375;

  /**
   * Reads of its bytes that a row costs which does not lie in whole cache lines or a part of one:
   * vectors of it lie in two lines, every other one or all with AVX-512.
   */
  private static final double SPLIT = 1.5;

  /** Reads from the first-level cache that a byte of a row costs for which there is no register. */
  private static final double SPILLED = 8;

  /**
   * Reads of a row that an addition to it counts as: the next one to the same row waits for it. 8
   * to 16 ms a pass on 3.4 million entries, rank 16 and two threads, where passes that only read
   * took 5.
   */
  private static final double ADDED_ROW = 5;

  private final TensorStatistics statistics;
  private final MachineParameters machine;
  private final int threads;
  private final int calls;
  private final Prefixes prefixes;
  private final Map<String, Double> hits = new HashMap<>();

  /**
   * @param threads of a call
   * @param calls of a pass that copy its operands
   */
  public CostModel(TensorStatistics statistics, MachineParameters machine, int threads, int calls) {
    this.calls = calls;
    this.statistics = statistics;
    this.machine = machine;
    this.threads = threads;
    this.prefixes = new Prefixes(statistics);
  }

  /** Predicted seconds of the kernel on the whole tensor. */
  double seconds(KernelPlan kernel) {
    ModeHistogram histogram = statistics.histogram(kernel.partitionedMode());
    long size = statistics.shape().size(kernel.partitionedMode());
    SliceRange all = new SliceRange(0, size, 0, 1);
    double slices = histogram.nonemptyBetween(0, size);
    return partition(kernel, all, statistics.entries(), slices, calls).seconds();
  }

  /** Share of the entries in the heaviest slice of {@code mode}. */
  double heaviestSlice(int mode) {
    ModeHistogram histogram = statistics.histogram(mode);
    return histogram.isExact() ? histogram.shareOfHeaviest(1) : 0;
  }

  /**
   * Share of the rows that the entries of a tensor in {@code format} read of the operand of its
   * last level and that miss a cache: those of the heaviest slices, of a line each at least, do
   * not. None does where fibers are so dense that rows are neighbours of those before.
   */
  double misses(TensorFormat format, Operand operand, double cache) {
    double[] distinct = prefixes.of(format);
    int fibers = format.levelCount() - 2;
    double length = statistics.entries() / Math.max(1, fibers < 0 ? 1 : distinct[fibers]);
    long rowBytes = operand.rowBytes(format.valueType().bytes());
    double apart = statistics.shape().size(operand.mode()) * rowBytes / Math.max(1, length);
    long rows = (long) (cache / Math.max(CACHE_LINE, rowBytes));
    return apart <= 2 * CACHE_LINE
        ? 0
        : 1 - statistics.histogram(operand.mode()).shareOfHeaviest(rows);
  }

  public List<PartitionCosts> partitions(KernelPlan kernel, ModePartitioning partitioning) {
    ModeHistogram histogram = statistics.histogram(kernel.partitionedMode());
    double[] entries = partitioning.expectedEntries(histogram);
    List<PartitionCosts> costs = new ArrayList<>();
    double slices = 0;
    for (int p = 0; p < entries.length; p++) {
      SliceRange range = partitioning.ranges().get(p);
      if (range.piece() > 0 && entries[p] == entries[p - 1]) {
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
        slices = range.piece() > 0 ? slices : histogram.nonemptyBetween(range.from(), range.to());
        double copies = (double) calls / entries.length;
        costs.add(partition(kernel, range, entries[p], slices, copies));
      }
    }
    return costs;
  }

  private PartitionCosts partition(
      KernelPlan kernel, SliceRange range, double entries, double slices, double copies) {
    TensorFormat format = kernel.tensorFormat();
    double[] distinct = distinct(format, entries, slices);
    double[] positions = positions(format, entries, slices);
    double storage = storageBytes(format, positions);
    double result = resultBytes(kernel, range, positions);
    int panels = kernel.panels();
    double flops = 0;
    double near = 0;
    double cached = 0;
    double shared = 0;
    double copied = kernel.copiedBytes(statistics.shape(), copies, range.slices());
    double moved =
        storage * panels + (kernel.merge() == Merge.SUM ? 0 : 2 * result) + COPYING * copied;
    int valueBytes = format.valueType().bytes();
    List<Operand> touched = touched(kernel);
    for (Operand operand : touched) {
      int level = levelOf(format, operand.mode());
      double reads = positions[level] * panels;
      long rowBytes = rowBytes(kernel, operand);
      double apart = distinct[level] * panels;
      double repeated = reads - apart;
      double first = repeated + apart * hits(kernel, touched, operand, distinct, Cache.FIRST);
      double own = repeated + apart * hits(kernel, touched, operand, distinct, Cache.OWN);
      double here = Math.max(first, own);
      double far = repeated + apart * hits(kernel, touched, operand, distinct, Cache.SHARED);
      far = Math.max(here, far);
      double misses = reads - far;
      long lineBytes = (rowBytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
      double compulsory =
          Math.min(reads, (double) statistics.shape().size(operand.mode()) * panels) * rowBytes;
      boolean read = kernel.operands().contains(operand);
      flops += 2.0 * reads * rowBytes / valueBytes * cellsBelow(kernel, operand);
      boolean inLines = rowBytes % CACHE_LINE == 0 || CACHE_LINE % rowBytes == 0;
      double readBytes = inLines ? rowBytes : SPLIT * rowBytes;
      near += read ? first * readBytes : 0;
      cached += read ? (here - first) * readBytes : ADDED_ROW * here * readBytes;
      near += SPILLED * reads * Math.max(0, rowBytes - ROW_SHARE * machine.registerBytes());
      shared += (read ? 1 : ADDED_ROW) * (far - here) * lineBytes;
      moved += (read ? 1 : 2) * Math.max(compulsory, misses * (lineBytes + CACHE_LINE));
    }
    if (kernel.merge() == Merge.ROWS) {
      double again = 2 * Math.max(0, distinct[rootLevel(kernel)] - slices);
      double bytes = again * valueBytes * Math.max(1, kernel.rank());
      boolean here = result / panels <= machine.cacheBytes();
      boolean far = result / panels <= machine.sharedCacheBytes();
      cached += here ? bytes : 0;
      shared += far && !here ? bytes : 0;
      moved += far || here ? 0 : bytes;
    }
    double seconds =
        Math.max(
                flops / machine.flopsPerSecond(),
                near / machine.nearBytesPerSecond()
                    + cached / machine.cachedBytesPerSecond()
                    + shared / machine.sharedBytesPerSecond()
                    + moved / machine.streamBytesPerSecond()
                    + panels * loopSeconds(format, positions))
            / (kernel.isParallel() ? threads : 1);
    double own = 2 * kernel.privateResults() * result;
    return new PartitionCosts(
        range,
        entries,
        storage,
        result,
        moved + own,
        flops,
        seconds + own / machine.streamBytesPerSecond());
  }

  /**
   * Cells that a number of the operand's row is multiplied by where rows have several modes: those
   * that the levels below have made.
   */
  private static double cellsBelow(KernelPlan kernel, Operand operand) {
    TensorFormat format = kernel.tensorFormat();
    double cells = 1;
    for (Operand other : kernel.operands()) {
      boolean below = levelOf(format, other.mode()) > levelOf(format, operand.mode());
      cells *= below && kernel.columns().size() > 1 ? other.columns() : 1;
    }
    return cells;
  }

  /** The operands, and the result if its rows are scattered. */
  private List<Operand> touched(KernelPlan kernel) {
    List<Operand> touched = new ArrayList<>(kernel.operands());
    if (kernel.merge() == Merge.SUM) {
      for (int mode : kernel.resultModes(statistics.shape().order())) {
        touched.add(new Operand(kernel.result(), mode, kernel.rank()));
      }
    }
    return touched;
  }

  /** Ends of loops that are not foreseen: none where nearly every loop runs once. */
  private double loopSeconds(TensorFormat format, double[] positions) {
    double seconds = 0;
    for (int level = 0; level + 1 < positions.length; level++) {
      boolean walked = format.level(level).properties().unique();
      if (walked && positions[level] > 0) {
        double length = positions[level + 1] / positions[level];
        seconds +=
            positions[level]
                * machine.get(MachineConstant.LOOP)
                * Math.min(1, 2 * Math.max(0, length - 1));
      }
    }
    return seconds;
  }

  /** The level whose positions address rows of the result. */
  private static int rootLevel(KernelPlan kernel) {
    return levelOf(kernel.tensorFormat(), kernel.partitionedMode());
  }

  /** Distinct coordinates down to each level in a part of the tensor. */
  private double[] distinct(TensorFormat format, double entries, double slices) {
    double[] distinct = prefixes.of(format);
    double share = statistics.entries() == 0 ? 0 : entries / statistics.entries();
    for (int level = 0; level < distinct.length; level++) {
      if (!format.level(level).properties().full()) {
        distinct[level] =
            Math.min(entries, Math.max(distinct[level] * share, level > 0 ? slices : 0));
      }
    }
    if (distinct.length > 0 && !format.level(0).properties().full()) {
      distinct[0] = Math.min(entries, slices);
    }
    if (distinct.length > 0) {
      distinct[distinct.length - 1] = entries;
    }
    return distinct;
  }

  /** Expected positions of each level: as many as entries from a level on that lists them. */
  public double[] positions(TensorFormat format, double entries, double slices) {
    double[] positions = distinct(format, entries, slices);
    boolean listed = false;
    for (int level = 0; level < positions.length; level++) {
      listed |= !format.level(level).properties().unique();
      positions[level] = listed ? entries : positions[level];
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

  private double resultBytes(KernelPlan kernel, SliceRange range, double[] positions) {
    int valueBytes = kernel.tensorFormat().valueType().bytes();
    double rowBytes = valueBytes * (double) Math.max(1, kernel.rank());
    if (kernel.merge() == Merge.ROWS) {
      return range.slices() * rowBytes;
    }
    if (kernel.merge() == Merge.SUM) {
      return kernel.resultShape(statistics.shape()).cells() * valueBytes;
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

  /** Bytes of the row that a position reads at a time: of a panel, where there are panels. */
  private static long rowBytes(KernelPlan kernel, Operand operand) {
    int valueBytes = kernel.tensorFormat().valueType().bytes();
    return kernel.panels() == 1 ? operand.rowBytes(valueBytes) : (long) kernel.panel() * valueBytes;
  }

  /** Share of the reads of an operand that find its row in the operand's share of a cache. */
  private double hits(
      KernelPlan kernel, List<Operand> touched, Operand operand, double[] distinct, Cache cache) {
    double share = cacheShare(kernel, touched, operand, distinct, cache);
    long rows = (long) (share / rowBytes(kernel, operand));
    if (rows >= tileRows(kernel.tensorFormat(), operand.mode())) {
      return 1;
    }
    return hits.computeIfAbsent(
        operand.mode() + "/" + rows,
        key -> statistics.histogram(operand.mode()).shareOfHeaviest(rows));
  }

  /** What other operands leave of the cache, and no less than its share of the rows read. */
  private double cacheShare(
      KernelPlan kernel, List<Operand> touched, Operand operand, double[] distinct, Cache cache) {
    TensorFormat format = kernel.tensorFormat();
    double others = 0;
    double reads = 0;
    for (Operand each : touched) {
      reads += distinct[levelOf(format, each.mode())];
      if (each.mode() != operand.mode()) {
        others += tileRows(format, each.mode()) * rowBytes(kernel, each);
      }
    }
    double share = reads == 0 ? 1 : distinct[levelOf(format, operand.mode())] / reads;
    double bytes =
        switch (cache) {
          case FIRST -> machine.nearCacheBytes();
          case OWN -> machine.cacheBytes();
          case SHARED -> machine.sharedCacheBytes();
        };
    return Math.max(bytes * share, bytes - others);
  }

  private enum Cache {
    /** Of one thread, the smallest. */
    FIRST,
    /** Of one thread. */
    OWN,
    /** Of all threads. */
    SHARED
  }

  /** Rows of the operand of {@code mode} that are in use at a time. */
  private double tileRows(TensorFormat format, int mode) {
    return format.coordinate(levelOf(format, mode)) instanceof LevelCoordinate.Within within
        ? within.size()
        : statistics.shape().size(mode);
  }

  /** The level below whose positions the whole coordinate of {@code mode} is known. */
  private static int levelOf(TensorFormat format, int mode) {
    for (int level = format.levelCount() - 1; level >= 0; level--) {
      if (format.modeOf(level) == mode) {
        return level;
      }
    }
    throw new IllegalArgumentException("no level stores mode " + mode + " in " + format);
  }
}
