package org.weft.spark.read;

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
  private final int slices;

  /**
   * @param parsed the cached splits
   * @param blocks number of blocks of each split
   * @param slices tasks per split
   */
  public SlicedSplits(RDD<ParsedPart> parsed, long[] blocks, int slices) {
    super(
        parsed.sparkContext(),
        CollectionConverters.asScala(List.<Dependency<?>>of(new SplitOfSlice(parsed, slices)))
            .toSeq(),
        ClassTag$.MODULE$.apply(ParsedPart.class));
    this.blocks = blocks.clone();
    this.slices = slices;
  }

  /** Slice s is a part of split {@code s / slices}. */
  private static final class SplitOfSlice extends NarrowDependency<ParsedPart> {
    private static final long serialVersionUID = 1L;

    private final int slices;

    SplitOfSlice(RDD<ParsedPart> parsed, int slices) {
      super(parsed);
      this.slices = slices;
    }

    @Override
    public Seq<Object> getParents(int slice) {
      return CollectionConverters.asScala(List.<Object>of(slice / slices)).toSeq();
    }
  }

  @Override
  public Partition[] getPartitions() {
    return NumberedPartition.array(blocks.length * slices);
  }

  @Override
  public scala.collection.Iterator<ParsedPart> compute(Partition slice, TaskContext task) {
    RDD<ParsedPart> parsed = firstParent(ClassTag$.MODULE$.apply(ParsedPart.class));
    int split = slice.index() / slices;
    int number = slice.index() % slices;
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
