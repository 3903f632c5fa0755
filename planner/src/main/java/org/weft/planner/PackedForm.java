package org.weft.planner;

import java.io.Serializable;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;

/**
 * How a tensor is cut and packed. Passes of the same form read the same partitions.
 *
 * @param partitioning the partitions
 * @param local whether coordinates of the partitioned mode start at 0 in each partition
 * @param format of every partition
 */
public record PackedForm(ModePartitioning partitioning, boolean local, TensorFormat format)
    implements Serializable {
  /** What packing subtracts from coordinates of the partitioned mode in a partition. */
  public long offset(SliceRange range) {
    return local ? range.from() : 0;
  }

  /** The shape that a partition of a tensor is packed with. */
  public TensorShape shape(TensorShape whole, SliceRange range) {
    return local ? whole.with(partitioning.mode(), range.slices()) : whole;
  }
}
