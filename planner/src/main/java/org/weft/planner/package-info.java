/**
 * Job plans: what runs where, in which formats, and what it will cost, decided before anything
 * runs.
 *
 * <p>A {@link org.weft.planner.job.Job} and the {@link org.weft.statistics.TensorStatistics} of its
 * tensor go in; a {@link org.weft.planner.JobPlan} comes out, which names partitions of equal
 * nonzeros, the expression, formats and schedule of every kernel, the compiled image and the
 * predicted cost of every step. A plan is a value: serialisable, printable, and the same for the
 * same input.
 *
 * <p>Invariants: the partitions of a mode cover every coordinate; two partitions either have
 * disjoint slices or exactly the same ones (pieces of a split range, whose results are summed); the
 * planner touches no tensor data, only statistics.
 *
 * <p>Read {@link org.weft.planner.Planner} first, then {@link
 * org.weft.planner.partition.EqualNonzeros}.
 */
@NullMarked
package org.weft.planner;

import org.jspecify.annotations.NullMarked;
