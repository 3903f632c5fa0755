/**
 * What the loops over one index variable are: the loops that a merge lattice asks for.
 *
 * <p>{@link Iteration} says where an expression is present, {@link MergeOperands} how each operand
 * gets at its coordinates, {@link MergeLoops} which loops follow and {@link MergeCases} what
 * happens at a coordinate. {@link LoopBlocks} cuts a loop into blocks. Read {@link MergeLoops}
 * first.
 */
@NullMarked
package org.weft.compiler.lower.merge;

import org.jspecify.annotations.NullMarked;
