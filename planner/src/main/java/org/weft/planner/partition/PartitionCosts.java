package org.weft.planner.partition;

import java.io.Serializable;

/**
 * Prediction for one kernel call on one partition.
 *
 * @param range the partition's slices
 * @param entries stored entries
 * @param storageBytes bytes of the packed partition
 * @param resultBytes bytes of the result
 * @param bytesMoved bytes between memory and core: storage once, operand rows that the cache does
 *     not hold, result
 * @param flops floating-point operations; a multiply-add is two
 * @param seconds of the kernel call with the task's threads
 */
public record PartitionCosts(
    SliceRange range,
    double entries,
    double storageBytes,
    double resultBytes,
    double bytesMoved,
    double flops,
    double seconds)
    implements Serializable {}
