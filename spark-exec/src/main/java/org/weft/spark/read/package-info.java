/**
 * Tensor files as blocks on Spark. Each input split is parsed once, by {@link
 * org.weft.spark.read.SplitRdd}: the blocks are cached serialized, and the statistics gathered on
 * the way are the last element of the split. {@link org.weft.spark.read.SplitByPartition} sends
 * entries to the partitions of a mode.
 */
@NullMarked
package org.weft.spark.read;

import org.jspecify.annotations.NullMarked;
