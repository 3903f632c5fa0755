package org.weft.planner;

import java.io.Serializable;
import org.weft.planner.partition.ModePartitioning;
import org.weft.tensor.TensorFormat;

/**
 * How a tensor is cut and packed. Passes of the same form read the same partitions.
 *
 * @param partitioning the partitions
 * @param local whether coordinates of the partitioned mode start at 0 in each partition
 * @param format of every partition
 */
public record PackedForm(ModePartitioning partitioning, boolean local, TensorFormat format)
    implements Serializable {}
