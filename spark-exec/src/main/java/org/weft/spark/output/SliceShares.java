package org.weft.spark.output;

import java.util.Arrays;
import org.apache.spark.Partitioner;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;
import scala.Tuple2;

/**
 * Result blocks, keyed by their first slice, to the tasks that write them: each takes as many
 * consecutive ranges of slices, and all blocks of a range go to one task.
 */
final class SliceShares extends Partitioner {
  private static final long serialVersionUID = 1L;

  private final long[] firsts;

  private SliceShares(long[] firsts) {
    this.firsts = firsts;
  }

  /** At most {@code tasks} shares of the ranges of {@code slices}. */
  static SliceShares of(ModePartitioning slices, int tasks) {
    long[] starts =
        slices.ranges().stream().filter(r -> r.piece() == 0).mapToLong(SliceRange::from).toArray();
    int shares = Math.min(tasks, starts.length);
    long[] firsts = new long[shares];
    for (int share = 0; share < shares; share++) {
      firsts[share] = starts[(int) ((long) share * starts.length / shares)];
    }
    return new SliceShares(firsts);
  }

  @Override
  public int numPartitions() {
    return firsts.length;
  }

  @Override
  public int getPartition(Object key) {
    long slice = (Long) ((Tuple2<?, ?>) key)._1();
    int found = Arrays.binarySearch(firsts, slice);
    return found >= 0 ? found : -found - 2;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SliceShares that && Arrays.equals(firsts, that.firsts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(firsts);
  }
}
