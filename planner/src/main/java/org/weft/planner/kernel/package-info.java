/**
 * The kernel of a partition: its form, its schedule and its predicted time.
 *
 * <p>Invariant: a choice depends on statistics, a job, a partitioning and a machine, and on nothing
 * else. Read {@link org.weft.planner.kernel.KernelChoice} first, then {@link
 * org.weft.planner.kernel.CostModel}.
 */
@NullMarked
package org.weft.planner.kernel;

import org.jspecify.annotations.NullMarked;
