package org.weft.spark.output;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.weft.engine.entries.Shared;
import org.weft.planner.partition.ModePartitioning;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.spark.kernel.EntryBlock;
import org.weft.tensor.CooBlock;

/**
 * Takes the entries of a relabelled result back to their old coordinates: every block is cut by the
 * old coordinate of the mode that sorts the written result, and what falls into one range is merged
 * as pieces of a split slice are. Memory: a block and its pieces; cost {@code O(order entries)}.
 */
public final class OriginalEntries implements FlatMapFunction<Iterator<EntryBlock>, EntryBlock> {
  private static final long serialVersionUID = 1L;

  private final Shared<Relabelling> inverse;
  private final int[] tensorModes;
  private final int sortingMode;
  private final ModePartitioning ranges;

  /**
   * @param inverse from new coordinates to old ones
   * @param tensorModes the tensor's mode for each mode of the written result; -1 for one that the
   *     tensor does not have
   * @param sortingMode the written mode that sorts the result
   * @param ranges of old coordinates of that mode
   */
  public OriginalEntries(
      Shared<Relabelling> inverse, int[] tensorModes, int sortingMode, ModePartitioning ranges) {
    this.inverse = inverse;
    this.tensorModes = tensorModes.clone();
    this.sortingMode = sortingMode;
    this.ranges = ranges;
  }

  @Override
  public Iterator<EntryBlock> call(Iterator<EntryBlock> blocks) {
    return new Iterator<>() {
      private Iterator<EntryBlock> pieces = Collections.emptyIterator();
      private int partition = -1;
      private int sequence;

      @Override
      public boolean hasNext() {
        while (!pieces.hasNext() && blocks.hasNext()) {
          EntryBlock block = blocks.next();
          sequence = block.partition() == partition ? sequence : 0;
          partition = block.partition();
          pieces = pieces(block.partition(), original(block.entries()));
        }
        return pieces.hasNext();
      }

      @Override
      public EntryBlock next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        EntryBlock piece = pieces.next();
        return new EntryBlock(
            piece.firstSlice(), piece.partition(), sequence++, true, piece.entries());
      }
    };
  }

  private CooBlock original(CooBlock block) {
    Object[] columns = new Object[block.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      if (tensorModes[mode] < 0) {
        columns[mode] = block.isWide(mode) ? block.longColumn(mode) : block.intColumn(mode);
        continue;
      }
      Permutation old = inverse.value().mode(tensorModes[mode]);
      int[] column = new int[block.size()];
      for (int e = 0; e < column.length; e++) {
        column[e] = (int) old.apply(block.coordinate(mode, e));
      }
      columns[mode] = column;
    }
    return CooBlock.ofColumns(columns, block.values(), block.size());
  }

  private Iterator<EntryBlock> pieces(int partition, CooBlock block) {
    long[] byRange = new long[block.size()]; // first slice of the range above, entry below
    for (int e = 0; e < byRange.length; e++) {
      int range = ranges.partitionOf(block.coordinate(sortingMode, e), 0);
      byRange[e] = ranges.ranges().get(range).from() << 32 | e;
    }
    Arrays.sort(byRange);
    return new Iterator<>() {
      private int at;

      @Override
      public boolean hasNext() {
        return at < byRange.length;
      }

      @Override
      public EntryBlock next() {
        long first = byRange[at] >>> 32;
        int from = at;
        while (at < byRange.length && byRange[at] >>> 32 == first) {
          at++;
        }
        int[] entries = new int[at - from];
        for (int i = 0; i < entries.length; i++) {
          entries[i] = (int) byRange[from + i];
        }
        return new EntryBlock(first, partition, 0, true, block.select(entries));
      }
    };
  }
}
