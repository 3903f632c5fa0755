package org.weft.spark.read;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.NarrowDependency;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.weft.engine.entries.OriginBlock;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * The blocks of cached splits in more tasks than there are splits: each split in runs of
 * consecutive blocks. A compressed file is one split and one parsing task; what follows can use all
 * cores. Every task deserializes its split's earlier blocks too, which costs little next to what it
 * does with its own.
 */
public final class SlicedSplits extends RDD<ParsedPart> {
  private static final long serialVersionUID = 1L;

  private final long[] blocks;

  /** The first slice of each split, and behind them the number of slices. */
  private final int[] firsts;

  private SlicedSplits(RDD<ParsedPart> parsed, long[] blocks, int[] firsts) {
    super(
        parsed.sparkContext(),
        CollectionConverters.asScala(List.<Dependency<?>>of(new SplitOfSlice(parsed, firsts)))
            .toSeq(),
        ClassTag$.MODULE$.apply(ParsedPart.class));
    this.blocks = blocks;
    this.firsts = firsts;
  }

  /**
   * @param parsed the cached splits
   * @param blocks number of blocks of each split
   * @param slices tasks per split, but for one that has fewer blocks
   */
  public static SlicedSplits of(RDD<ParsedPart> parsed, long[] blocks, int slices) {
    int[] firsts = new int[blocks.length + 1];
    for (int split = 0; split < blocks.length; split++) {
      firsts[split + 1] = firsts[split] + (int) Math.max(1, Math.min(slices, blocks[split]));
    }
    return new SlicedSplits(parsed, blocks.clone(), firsts);
  }

  private static int split(int[] firsts, int slice) {
    int found = Arrays.binarySearch(firsts, slice);
    return found >= 0 ? found : -found - 2;
  }

  /** The split that a slice is a part of. */
  private static final class SplitOfSlice extends NarrowDependency<ParsedPart> {
    private static final long serialVersionUID = 1L;

    private final int[] firsts;

    SplitOfSlice(RDD<ParsedPart> parsed, int[] firsts) {
      super(parsed);
      this.firsts = firsts;
    }

    @Override
    public Seq<Object> getParents(int slice) {
      return CollectionConverters.asScala(List.<Object>of(split(firsts, slice))).toSeq();
    }
  }

  @Override
  public Partition[] getPartitions() {
    return NumberedPartition.array(firsts[blocks.length]);
  }

  @Override
  public scala.collection.Iterator<ParsedPart> compute(Partition slice, TaskContext task) {
    RDD<ParsedPart> parsed = firstParent(ClassTag$.MODULE$.apply(ParsedPart.class));
    int split = split(firsts, slice.index());
    int number = slice.index() - firsts[split];
    int slices = firsts[split + 1] - firsts[split];
    long from = blocks[split] * number / slices;
    long to = blocks[split] * (number + 1) / slices;
    Iterator<ParsedPart> all =
        CollectionConverters.asJava(parsed.iterator(parsed.partitions()[split], task));
    return CollectionConverters.asScala(new Run(all, from, to));
  }

  /** The blocks numbered {@code [from, to)} of a split. */
  private static final class Run implements Iterator<ParsedPart> {
    private final Iterator<ParsedPart> all;
    private final long to;
    private long next;

    Run(Iterator<ParsedPart> all, long from, long to) {
      this.all = all;
      this.to = to;
      while (next < from) {
        OriginBlock skipped = all.next().block();
        next += skipped == null ? 0 : 1;
      }
    }

    @Override
    public boolean hasNext() {
      return next < to;
    }

    @Override
    public ParsedPart next() {
      next++;
      return all.next();
    }
  }
}
