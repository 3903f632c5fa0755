/**
 * What is to be done to a tensor: a {@link org.weft.planner.job.Job} is a value that names an
 * operation, its mode, its rank and its value type, and checks itself against a shape.
 *
 * <p>Invariant: a job knows nothing of partitions, machines or costs. Read {@link
 * org.weft.planner.job.Job} first.
 */
@NullMarked
package org.weft.planner.job;

import org.jspecify.annotations.NullMarked;
