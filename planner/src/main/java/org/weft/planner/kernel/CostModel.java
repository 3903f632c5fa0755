package org.weft.planner.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.weft.planner.machine.MachineConstant;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.PartitionCosts;
import org.weft.planner.partition.SliceRange;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;

/**
 * Predicts the seconds, bytes and floating-point operations of a kernel on a partition of a sparse
 * tensor, from the tensor's statistics and the machine's bandwidths. The model is a roofline: the
 * time is the greater of the time for the operations and the time for the bytes, divided by the
 * threads of a parallel kernel. It counts bytes as follows.
 *
 * <ul>
 *   <li><b>Positions.</b> {@link Prefixes} says how many positions each level has. A position below
 *       the root reads one row of the operand of its mode.
 *   <li><b>Hits.</b> A read is a hit of a cache if its row belongs to the heaviest slices whose
 *       rows fit the cache, or to a tile that fits, or if the entry before it in a list read the
 *       same row. Hits of the first-level cache, of a thread's cache and of the cache of all
 *       threads come at {@link MachineParameters#nearBytesPerSecond}, {@link
 *       MachineParameters#cachedBytesPerSecond} and {@link MachineParameters#sharedBytesPerSecond}.
 *   <li><b>Misses.</b> Any other read moves the cache lines of its row and one line more, at {@link
 *       MachineParameters#streamBytesPerSecond}. The storage moves once, and the result is read and
 *       written once for each tile.
 *   <li><b>Registers.</b> A sum over a row that is too long for the registers is read and written
 *       for every row that it adds ({@link #SPILLED}).
 *   <li><b>Panels.</b> A kernel on panels of columns does all this for each panel, with shorter
 *       rows. It copies its matrices first ({@link #COPYING}).
 *   <li><b>Scattered results.</b> Where the partitions' results are summed, an addition to a row
 *       counts as {@link #ADDED_ROW} reads of the row from a cache, or as two from memory. One
 *       thread clears and adds up the private results of a parallel kernel.
 *   <li><b>Calls.</b> A call costs {@link MachineConstant#CALL} seconds, which no thread shares.
 *   <li><b>Loops.</b> The end of a loop whose length the processor cannot foresee costs {@link
 *       MachineConstant#LOOP} seconds.
 * </ul>
 */
public final class CostModel {
  private static final long CACHE_LINE = 64;

  /** Bytes that move for a copied byte: it is read, its place is cleared, and it is written. */
  private static final double COPYING = 3;

  /**
   * The share of the vector registers that a row may take. The other registers hold the sums of the
   * levels above.
   */
  private static final double ROW_SHARE = 0.375;

  /**
   * The cost of a row whose bytes neither fill whole cache lines nor lie within one, in reads of an
   * aligned row. Every other vector of such a row lies in two lines; with AVX-512 every vector
   * does.
   */
  private static final double SPLIT = 1.5;

  /**
   * The cost of a byte of a row for which there is no register, in reads of the byte from the
   * first-level cache.
   */
  private static final double SPILLED = 8;

  /**
   * The cost of an addition to a row, in reads of the row: the next addition to the same row waits
   * for this one. On 3.4 to 8.0 million entries with rank 16 and two threads, a pass that adds took
   * 1.3 to 3 times as long as a pass that only reads, on processors of three kinds.
   */
  private static final double ADDED_ROW = 2.5;

  /**
   * The cost of an entry that is listed and not in a fiber, in bytes that move: its row is
   * multiplied by the row of each other mode. Lists pay off for fibers of fewer than about four
   * entries.
   */
  private static final double LISTED = 8;

  /**
   * Multiply-adds from which a call divides its loop among threads: twice {@code least_task_work}
   * of {@code tasks.h}.
   */
  private static final double DIVIDED = 20_480;

  private final TensorStatistics statistics;
  private final MachineParameters machine;
  private final int threads;
  private final int calls;
  private final Prefixes prefixes;
  private final Map<String, Double> hits = new HashMap<>();

  /**
   * A model of kernels on one tensor and one machine.
   *
   * @param statistics the entries, mode sizes and histograms of the tensor
   * @param machine bandwidths in bytes per second, and sizes of caches in bytes
   * @param threads how many threads a call of a kernel uses
   * @param calls how many calls of a pass over the tensor copy the operands
   */
  public CostModel(TensorStatistics statistics, MachineParameters machine, int threads, int calls) {
    this.calls = calls;
    this.statistics = statistics;
    this.machine = machine;
    this.threads = threads;
    this.prefixes = new Prefixes(statistics);
  }

  /** Predicts the seconds of the kernel on the whole tensor. */
  double seconds(KernelPlan kernel) {
    ModeHistogram histogram = statistics.histogram(kernel.partitionedMode());
    long size = statistics.shape().size(kernel.partitionedMode());
    SliceRange all = new SliceRange(0, size, 0, 1);
    double slices = histogram.nonemptyBetween(0, size);
    return partition(kernel, all, statistics.entries(), slices, calls).seconds();
  }

  /**
   * The share of the entries that the heaviest slice of {@code mode} has, from 0 to 1. It is 0 if
   * the statistics do not tell.
   */
  double heaviestSlice(int mode) {
    ModeHistogram histogram = statistics.histogram(mode);
    return histogram.isExact() ? histogram.shareOfHeaviest(1) : 0;
  }

  /**
   * The share of the reads of the last level's operand that miss a cache, from 0 to 1, while a
   * kernel goes through the entries of a tensor in {@code format}. Reads of rows of the heaviest
   * slices hit if these rows fit the cache, each counted as a cache line at least. Nothing misses
   * where fibers are so dense that a row is next to the row before.
   *
   * @param cache size of the cache in bytes
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

  /**
   * Predicts the costs of the kernel on each partition, in the order of the partitions. The pieces
   * of a split slice cost the same.
   */
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

  /**
   * Predicts the costs of a part of the tensor.
   *
   * @param range the slices of the part
   * @param entries how many entries the part has
   * @param slices how many slices of the part have entries
   * @param copies how many calls copy the operands for this part
   */
  private PartitionCosts partition(
      KernelPlan kernel, SliceRange range, double entries, double slices, double copies) {
    TensorFormat format = kernel.tensorFormat();
    double[] distinct = distinct(format, entries, slices);
    double[] positions = positions(format, entries, slices);
    int valueBytes = format.valueType().bytes();
    double storage = storageBytes(format, positions, positions.length, valueBytes);
    double result = resultBytes(kernel, range, positions);
    int panels = kernel.panels();
    double flops = 0;
    double near = 0;
    double cached = 0;
    double shared = 0;
    double copied = kernel.copiedBytes(statistics.shape(), copies, range.slices());
    double moved =
        storage * panels + (kernel.merge() == Merge.SUM ? 0 : 2 * result) + COPYING * copied;
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
                    + (moved + LISTED * listed(format, positions) * panels)
                        / machine.streamBytesPerSecond()
                    + panels * loopSeconds(format, positions))
            / threads(kernel, entries);
    double own = 2 * kernel.privateResults() * result;
    return new PartitionCosts(
        range,
        entries,
        storage,
        result,
        moved + own,
        flops,
        seconds + own / machine.streamBytesPerSecond() + callSeconds(entries));
  }

  /** Coordinates of levels that list one under each position of the level above. */
  private static double listed(TensorFormat format, double[] positions) {
    return IntStream.range(0, positions.length)
        .filter(level -> format.level(level).properties().branchless())
        .mapToDouble(level -> positions[level])
        .sum();
  }

  /** How many threads a call on so many entries uses. */
  private int threads(KernelPlan kernel, double entries) {
    boolean divided = entries * Math.max(1, kernel.rank()) >= DIVIDED;
    return kernel.isParallel() && divided ? threads : 1;
  }

  /** What a call costs beside its loops. A part without entries is not called. */
  private double callSeconds(double entries) {
    return entries == 0 ? 0 : machine.get(MachineConstant.CALL);
  }

  /**
   * How many cells each number of the operand's row is multiplied by. It is 1 for an MTTKRP. In a
   * TTMc the levels below have made a row of several modes, and the number meets each of its cells.
   */
  private static double cellsBelow(KernelPlan kernel, Operand operand) {
    TensorFormat format = kernel.tensorFormat();
    if (kernel.rowsHaveModes()) {
      return 1;
    }
    double cells = 1;
    for (Operand other : kernel.operands()) {
      boolean below = levelOf(format, other.mode()) > levelOf(format, operand.mode());
      cells *= below && kernel.columns().size() > 1 ? other.columns() : 1;
    }
    return cells;
  }

  /**
   * The matrices whose rows the entries select: the operands, and the result if it is scattered.
   */
  private List<Operand> touched(KernelPlan kernel) {
    List<Operand> touched = new ArrayList<>(kernel.operands());
    if (kernel.merge() == Merge.SUM) {
      for (int mode : kernel.resultModes(statistics.shape().order())) {
        touched.add(new Operand(kernel.result(), mode, kernel.rank()));
      }
    }
    return touched;
  }

  /**
   * The seconds of the ends of loops that the processor does not foresee. There are none at a level
   * where nearly every loop runs once.
   */
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

  /** The level whose positions select the rows of the result. */
  private static int rootLevel(KernelPlan kernel) {
    return levelOf(kernel.tensorFormat(), kernel.partitionedMode());
  }

  /** Expects how many distinct prefixes of coordinates each level has in a part of the tensor. */
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

  /**
   * Expects how many positions each level has in a part of the tensor. From the first level that
   * lists coordinates without removing duplicates on, there are as many positions as entries.
   *
   * @param entries how many entries the part has
   * @param slices how many slices of the part have entries
   */
  public double[] positions(TensorFormat format, double entries, double slices) {
    double[] positions = distinct(format, entries, slices);
    boolean listed = false;
    for (int level = 0; level < positions.length; level++) {
      listed |= !format.level(level).properties().unique();
      positions[level] = listed ? entries : positions[level];
    }
    return positions;
  }

  /** The bytes of positions and coordinates of the first levels, and of cells at the last. */
  private static double storageBytes(
      TensorFormat format, double[] positions, int levels, double cellBytes) {
    double bytes = 0;
    double parents = 1;
    for (int level = 0; level < levels; level++) {
      bytes += format.level(level).bytes(parents, positions[level]);
      parents = positions[level];
    }
    return bytes + parents * cellBytes;
  }

  /** The bytes of the result of a part of the tensor. */
  private double resultBytes(KernelPlan kernel, SliceRange range, double[] positions) {
    int valueBytes = kernel.tensorFormat().valueType().bytes();
    double rowBytes = valueBytes * (double) Math.max(1, kernel.rank());
    if (kernel.merge() == Merge.ROWS) {
      return range.slices() * rowBytes;
    }
    if (kernel.merge() == Merge.SUM) {
      return kernel.resultShape(statistics.shape()).cells() * valueBytes;
    }
    return storageBytes(kernel.resultFormat(), positions, positions.length - 1, rowBytes);
  }

  /** The bytes that a position reads at a time: a row of the operand, or a row of a panel. */
  private static long rowBytes(KernelPlan kernel, Operand operand) {
    int valueBytes = kernel.tensorFormat().valueType().bytes();
    return kernel.panels() == 1 ? operand.rowBytes(valueBytes) : (long) kernel.panel() * valueBytes;
  }

  /**
   * The share of the reads of an operand that hit a cache, from 0 to 1, where the operand may use
   * its share of the cache.
   */
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

  /**
   * The bytes of the cache that an operand may use: what the rows of the other operands leave, and
   * at least the part of the cache that corresponds to the operand's part of the reads.
   */
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
    /** The first-level cache of a thread. */
    FIRST,
    /** The largest cache that a thread has for itself. */
    OWN,
    /** The cache that all threads share. */
    SHARED
  }

  /** How many rows of the operand of {@code mode} are in use at a time: those of a tile, or all. */
  private double tileRows(TensorFormat format, int mode) {
    return format.coordinate(levelOf(format, mode)) instanceof LevelCoordinate.Within within
        ? within.size()
        : statistics.shape().size(mode);
  }

  /** The last level of {@code mode}: at its positions the whole coordinate is known. */
  private static int levelOf(TensorFormat format, int mode) {
    for (int level = format.levelCount() - 1; level >= 0; level--) {
      if (format.modeOf(level) == mode) {
        return level;
      }
    }
    throw new IllegalArgumentException("no level stores mode " + mode + " in " + format);
  }
}
