/**
 * Ranges of slices with equal numbers of nonzeros: who works on which part of a mode.
 *
 * <p>Invariants: the partitions of a mode cover every coordinate; two partitions either have
 * disjoint slices or exactly the same ones. Read {@link org.weft.planner.partition.EqualNonzeros}
 * first.
 */
@NullMarked
package org.weft.planner.partition;

import org.jspecify.annotations.NullMarked;
