/**
 * What is to be done to a tensor: a {@link org.weft.planner.job.Job} is a list of {@link
 * org.weft.planner.job.JobStatement}s on it, each a product with dense factors, and the dense
 * algebra of a method.
 *
 * <p>Invariant: a job knows nothing of partitions, machines or costs. Read {@link
 * org.weft.planner.job.Job} first.
 */
@NullMarked
package org.weft.planner.job;

import org.jspecify.annotations.NullMarked;
