package org.weft.spark.output;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.jspecify.annotations.Nullable;
import org.weft.spark.kernel.RowBlock;
import org.weft.spark.wire.Wire;
import scala.Tuple2;

/**
 * Adds up results that each have all rows, on the executors: a task gets the blocks of its rows
 * from all partitions, sorted, and adds those of the same rows in the order of their partitions.
 * Memory: one block a task, and what Spark's shuffle holds.
 */
public final class SummedRows {
  private SummedRows() {}

  /**
   * One block for all blocks with the same rows, in a partition for each range of rows; nothing
   * runs yet.
   *
   * @param starts first row of each range, ascending, and the number of rows; a block is in one
   */
  public static JavaRDD<RowBlock> of(JavaRDD<RowBlock> rows, long[] starts) {
    JavaPairRDD<Tuple2<Long, Long>, RowBlock> keyed =
        rows.mapToPair(
            block -> new Tuple2<>(new Tuple2<>(block.firstRow(), (long) block.partition()), block));
    return Wire.shuffle(keyed, new FirstRow(starts), new BlockOrder()).mapPartitions(Sums::new);
  }

  /** Sends blocks to the range that their rows are in. */
  private static final class FirstRow extends Partitioner {
    private static final long serialVersionUID = 1L;

    private final long[] starts;

    FirstRow(long[] starts) {
      this.starts = starts;
    }

    @Override
    public int numPartitions() {
      return starts.length - 1;
    }

    @Override
    public int getPartition(Object key) {
      int found = Arrays.binarySearch(starts, (Long) ((Tuple2<?, ?>) key)._1());
      return found >= 0 ? found : -found - 2;
    }
  }

  private static final class Sums implements Iterator<RowBlock> {
    private final Iterator<Tuple2<Tuple2<Long, Long>, RowBlock>> blocks;
    private @Nullable RowBlock next;

    Sums(Iterator<Tuple2<Tuple2<Long, Long>, RowBlock>> blocks) {
      this.blocks = blocks;
      this.next = blocks.hasNext() ? blocks.next()._2() : null;
    }

    @Override
    public boolean hasNext() {
      return next != null;
    }

    @Override
    public RowBlock next() {
      RowBlock first = next;
      if (first == null) {
        throw new NoSuchElementException();
      }
      double[] sums = first.values().clone();
      next = null;
      while (blocks.hasNext() && next == null) {
        RowBlock other = blocks.next()._2();
        if (other.firstRow() != first.firstRow()) {
          next = other;
          continue;
        }
        for (int i = 0; i < sums.length; i++) {
          sums[i] += other.values()[i];
        }
      }
      return new RowBlock(first.partition(), first.firstRow(), first.columns(), sums);
    }
  }
}
