/**
 * Tensor partitions and factor matrices that stay off heap on the executors.
 *
 * <p>A {@link org.weft.spark.resident.ResidentPartition} is a small on-heap element of a {@link
 * org.weft.spark.resident.ResidentRdd}; its arrays live off heap and are owned by the process's
 * {@link org.weft.spark.resident.ResidentMemory}. The life of the memory mirrors the life of the
 * Spark block: it is freed when no task holds a lease and Spark's memory store no longer has the
 * block, whether that came from unpersist, eviction or a lost broadcast. Garbage collection plays
 * no part. Everything is accounted: resident bytes in Spark's off-heap storage pool, a task's own
 * outputs in its off-heap execution pool ({@link org.weft.spark.resident.TaskMemory}).
 *
 * <p>Read {@link org.weft.spark.resident.ResidentMemory} first.
 */
@NullMarked
package org.weft.spark.resident;

import org.jspecify.annotations.NullMarked;
