package org.weft.planner;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.kernel.Merge;
import org.weft.planner.machine.Resources;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.PartitionCosts;
import org.weft.planner.partition.SliceRange;
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
 * @param groups into which the partitions fall, in order and evenly, where kernels run in turn and
 *     their results are summed: the partitions of a group add to one result, one after the other,
 *     and those of the groups are added in order. Otherwise as many as there are partitions
 */
public record ModePlan(
    int mode,
    KernelPlan kernel,
    TensorShape tensorShape,
    ModePartitioning partitioning,
    List<PartitionCosts> partitions,
    int groups)
    implements Serializable {
  public ModePlan {
    partitions = new ArrayList<>(partitions);
    if (partitions.size() != partitioning.partitions()) {
      throw new IllegalArgumentException(
          partitions.size() + " costs for " + partitioning.partitions() + " partitions");
    }
  }

  /** A pass whose partitions have a result each. */
  public ModePlan(
      int mode,
      KernelPlan kernel,
      TensorShape tensorShape,
      ModePartitioning partitioning,
      List<PartitionCosts> partitions) {
    this(mode, kernel, tensorShape, partitioning, partitions, partitioning.partitions());
  }

  /** The same pass with the partitions in groups. */
  ModePlan withGroups(int count) {
    return new ModePlan(mode, kernel, tensorShape, partitioning, partitions, count);
  }

  /** The same pass with the partitions under another partitioning. */
  ModePlan withPartitioning(ModePartitioning other) {
    return new ModePlan(mode, kernel, tensorShape, other, partitions, groups);
  }

  /** The partitions that it reads. */
  public PackedForm form() {
    return new PackedForm(partitioning, kernel.isLocal(), kernel.tensorFormat());
  }

  /** The first partition of a group, and where the one before it ends. */
  public int groupStart(int group) {
    return (int) ((long) partitioning.partitions() * group / groups);
  }

  /** Whether kernels of several groups run at a time, on one thread each, in one process. */
  public boolean isGrouped(Resources resources) {
    return resources.inTurn() && kernel.merge() == Merge.SUM;
  }

  /** Kernels of this pass that run at a time on the whole cluster. */
  public int kernelsAtATime(Resources resources) {
    return isGrouped(resources) ? groups : resources.kernelsAtATime();
  }

  public SliceRange range(int partition) {
    return partitioning.ranges().get(partition);
  }

  /** Shape of the whole result. */
  public TensorShape resultShape() {
    return kernel.resultShape(tensorShape);
  }

  /** Shape of the whole result with its modes as they are written. */
  public TensorShape writtenShape() {
    TensorShape result = resultShape();
    long[] sizes = new long[result.order()];
    for (int m = 0; m < sizes.length; m++) {
      sizes[kernel.writtenModes().get(m)] = result.size(m);
    }
    return TensorShape.of(sizes);
  }

  /** The written result's modes in the order in which its entries are sorted. */
  public int[] writtenOrder() {
    int[] order = kernel.resultFormat().modeOrder();
    for (int level = 0; level < order.length; level++) {
      order[level] = kernel.writtenModes().get(order[level]);
    }
    return order;
  }

  /** The tensor's mode for each mode of the written result; -1 for the columns of a TTM. */
  public int[] tensorModes() {
    boolean columns = kernel.rank() > 0;
    return IntStream.range(0, tensorShape.order())
        .filter(m -> columns || m != mode)
        .map(m -> m == mode ? -1 : m)
        .toArray();
  }

  /** Predicted bytes of all partitions in storage. */
  public double storageBytes() {
    return total(PartitionCosts::storageBytes);
  }

  /** Predicted floating-point operations for each stored entry. */
  public double flopsPerEntry() {
    double entries = total(PartitionCosts::entries);
    return entries == 0 ? 0 : total(PartitionCosts::flops) / entries;
  }

  /** The sum of a prediction over the partitions. */
  public double total(ToDoubleFunction<PartitionCosts> prediction) {
    return partitions.stream().mapToDouble(prediction).sum();
  }
}
