/**
 * Plans of statements whose tensors lie on many machines. A {@link
 * org.weft.planner.distributed.DistributedPlanner} chooses the labels that a statement is divided
 * along and what each operand then needs; a {@link org.weft.planner.distributed.DistributedPlan} is
 * the tree of what will be done, with predictions, and the kernels compiled for it.
 */
@NullMarked
package org.weft.planner.distributed;

import org.jspecify.annotations.NullMarked;
