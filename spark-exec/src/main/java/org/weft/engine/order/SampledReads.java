package org.weft.engine.order;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.OriginBlock;
import org.weft.engine.entries.Shared;
import org.weft.planner.ModePlan;
import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.kernel.Operand;
import org.weft.reorder.Relabelling;
import org.weft.reorder.RowReads;
import org.weft.statistics.ModeHistogram;
import org.weft.tensor.CooBlock;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;

/**
 * Counts the operand rows that the passes of a job would miss in the cache, on windows of
 * consecutive slices: each window is visited as its kernel would. Windows of a kernel that takes
 * the rows of an operand in tiles are whole tiles. One pass over the parsed entries.
 */
final class SampledReads {
  private static final int WINDOWS = 6;
  private static final long WINDOW_ENTRIES = 1 << 17;

  private final EntryBlocks parts;
  private final long cacheBytes;

  SampledReads(EntryBlocks parts, long cacheBytes) {
    this.parts = parts;
    this.cacheBytes = cacheBytes;
  }

  /** Slices of one mode, {@code from[w]} to {@code to[w]} exclusive, ascending. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Windows(int mode, long[] from, long[] to, long entries) implements Serializable {
    boolean contains(long slice) {
      int at = Arrays.binarySearch(from, slice);
      int window = at >= 0 ? at : -at - 2;
      return window >= 0 && slice < to[window];
    }
  }

  /**
   * Bytes of operand rows that one iteration over all passes misses, scaled to all entries.
   *
   * @param passes of the plan
   * @param histograms of the coordinates that the kernels will see
   * @param relabelling to those coordinates, or null
   */
  double missedBytes(
      List<ModePlan> passes,
      List<ModeHistogram> histograms,
      TensorShape shape,
      @Nullable Shared<Relabelling> relabelling) {
    List<Windows> windows = new ArrayList<>();
    for (ModePlan pass : passes) {
      TensorFormat format = pass.kernel().tensorFormat();
      int mode = tileRows(format) > 1 ? format.modeOf(0) : pass.kernel().partitionedMode();
      windows.add(windows(mode, tileRows(format), histograms.get(mode)));
    }
    List<List<CooBlock>> found = collect(windows, relabelling);
    double missed = 0;
    for (int p = 0; p < passes.size(); p++) {
      long sampled = found.get(p).stream().mapToLong(CooBlock::size).sum();
      if (sampled == 0) {
        continue;
      }
      double all = histograms.get(passes.get(p).kernel().partitionedMode()).total();
      missed += reads(passes.get(p).kernel(), shape, found.get(p)).missedBytes() * all / sampled;
    }
    return missed;
  }

  private RowReads reads(KernelPlan kernel, TensorShape shape, List<CooBlock> blocks) {
    int[] modeOrder = kernel.tensorFormat().modeOrder();
    CooBlock sorted = byTile(kernel.tensorFormat(), Packing.sorted(shape, modeOrder, blocks));
    long[] rowBytes = new long[shape.order()];
    for (Operand operand : kernel.operands()) {
      rowBytes[operand.mode()] = operand.rowBytes(kernel.tensorFormat().valueType().bytes());
    }
    return RowReads.of(sorted, modeOrder, rowBytes, shape.toArray(), cacheBytes);
  }

  /** Rows of an operand whose entries a storage keeps together; 1 where it has no tiles. */
  private static long tileRows(TensorFormat format) {
    return format.coordinate(0) instanceof LevelCoordinate.Block tile ? tile.size() : 1;
  }

  /** Sorted entries tile by tile. */
  private static CooBlock byTile(TensorFormat format, CooBlock sorted) {
    long rows = tileRows(format);
    if (rows == 1) {
      return sorted;
    }
    int mode = format.modeOf(0);
    long[] keys = new long[sorted.size()];
    for (int e = 0; e < keys.length; e++) {
      keys[e] = sorted.coordinate(mode, e) / rows << Integer.SIZE | e;
    }
    Arrays.sort(keys);
    return sorted.select(Arrays.stream(keys).mapToInt(key -> (int) key).toArray());
  }

  /**
   * Windows that begin at even shares of the entries; one for all where there are few entries.
   *
   * @param unit slices that stay together; windows begin and end at multiples of it, or between
   *     buckets of the histogram if they are wider
   */
  private static Windows windows(int mode, long unit, ModeHistogram histogram) {
    long width = histogram.bucketWidth();
    long total = histogram.total();
    long[] from = new long[WINDOWS];
    long[] to = new long[WINDOWS];
    int count = 0;
    long passed = 0;
    long taken = 0;
    long open = -1; // entries of the open window, or -1
    for (int bucket = 0; bucket < histogram.buckets(); bucket++) {
      boolean begins = bucket * width % unit < width;
      if (open >= WINDOW_ENTRIES && begins) {
        count++;
        open = -1;
      }
      if (open < 0 && begins && count < WINDOWS && passed >= total / WINDOWS * count) {
        from[count] = bucket * width;
        open = 0;
      }
      long entries = histogram.count(bucket);
      passed += entries;
      if (open >= 0) {
        open += entries;
        taken += entries;
        to[count] = (bucket + 1) * width;
      }
    }
    if (open >= 0) {
      count++;
    }
    return new Windows(mode, Arrays.copyOf(from, count), Arrays.copyOf(to, count), taken);
  }

  private List<List<CooBlock>> collect(
      List<Windows> windows, @Nullable Shared<Relabelling> relabelling) {
    ArrayList<Windows> sent = new ArrayList<>(windows);
    List<List<CooBlock>> found = new ArrayList<>();
    windows.forEach(w -> found.add(new ArrayList<>()));
    parts
        .collect(blocks -> select(blocks, sent, relabelling))
        .forEach(block -> found.get((int) block.origin()).add(block.block()));
    return found;
  }

  private static Iterator<OriginBlock> select(
      Iterator<OriginBlock> blocks,
      List<Windows> windows,
      @Nullable Shared<Relabelling> relabelling) {
    List<OriginBlock> selected = new ArrayList<>();
    while (blocks.hasNext()) {
      CooBlock read = blocks.next().block();
      CooBlock block = relabelling == null ? read : relabelling.value().apply(read);
      for (int w = 0; w < windows.size(); w++) {
        int[] kept = new int[block.size()];
        int count = 0;
        for (int e = 0; e < kept.length; e++) {
          if (windows.get(w).contains(block.coordinate(windows.get(w).mode(), e))) {
            kept[count++] = e;
          }
        }
        if (count > 0) {
          selected.add(new OriginBlock(w, block.select(Arrays.copyOf(kept, count))));
        }
      }
    }
    return selected.iterator();
  }
}
