package org.weft.planner;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.weft.tensor.TensorShape;

/**
 * One pass over the tensor: a kernel on every partition of one mode.
 *
 * @param mode the mode that the job names: the result's rows for MTTKRP, the contracted mode for
 *     TTM and TTV
 * @param kernel the kernel
 * @param tensorShape global mode sizes of the tensor
 * @param partitioning partitions along {@code kernel.partitionedMode()}
 * @param partitions predicted costs of each partition
 */
public record ModePlan(
    int mode,
    KernelPlan kernel,
    TensorShape tensorShape,
    ModePartitioning partitioning,
    List<PartitionCosts> partitions)
    implements Serializable {
  public ModePlan {
    partitions = new ArrayList<>(partitions);
    if (partitions.size() != partitioning.partitions()) {
      throw new IllegalArgumentException(
          partitions.size() + " costs for " + partitioning.partitions() + " partitions");
    }
  }

  public SliceRange range(int partition) {
    return partitioning.ranges().get(partition);
  }

  /** What packing subtracts from the partitioned mode's coordinates in {@code partition}. */
  public long rowOffset(int partition) {
    return kernel.rowOffset(range(partition));
  }

  /** Shape that {@code partition} is packed with. */
  public TensorShape localShape(int partition) {
    return kernel.localShape(tensorShape, range(partition));
  }

  /** Shape of the result of {@code partition}. */
  public TensorShape localResultShape(int partition) {
    return kernel.resultShape(localShape(partition));
  }

  /** Shape of the whole result. */
  public TensorShape resultShape() {
    return kernel.resultShape(tensorShape);
  }

  /** Predicted bytes of all partitions in storage. */
  public double storageBytes() {
    return partitions.stream().mapToDouble(PartitionCosts::storageBytes).sum();
  }
}
