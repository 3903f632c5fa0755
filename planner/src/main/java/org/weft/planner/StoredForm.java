package org.weft.planner;

import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.partition.ModePartitioning;
import org.weft.tensor.TensorFormat;

/**
 * A form of a tensor that lies in files, in partitions: a kernel of its levels needs no packing.
 *
 * @param partitioning a range of the outermost mode for each partition
 * @param format levels and mode order; widths and value type may differ from those of a kernel
 */
public record StoredForm(ModePartitioning partitioning, TensorFormat format) {
  /** Whether it has at least {@code partitions} partitions that {@code kernel} can read. */
  boolean serves(KernelPlan kernel, int partitions) {
    return partitioning.mode() == kernel.partitionedMode()
        && partitioning.partitions() >= partitions
        && format.hasLevelsOf(kernel.tensorFormat());
  }
}
