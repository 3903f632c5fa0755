/**
 * Iteration graphs: in which order the loops over the index variables may run.
 *
 * <p>{@link org.weft.compiler.graph.IterationGraph} holds the tensor paths of a statement and sorts
 * them topologically. Invariant: an edge that a loop order must respect names the access that
 * demands it, so that a conflict can be explained.
 */
@NullMarked
package org.weft.compiler.graph;

import org.jspecify.annotations.NullMarked;
