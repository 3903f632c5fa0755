/**
 * Models of tensors whose missing entries are unknown and not zero.
 *
 * <p>{@link org.weft.decomposition.completion.Completion} runs a {@link
 * org.weft.decomposition.completion.Solver} and keeps the model with the least error at the
 * held-out entries. A solver improves the factors: {@code NormalSolver} by least squares, {@code
 * CoordinateSolver} some columns at a time, {@code GradientSolver} along gradients of batches. Read
 * {@code Completion} first.
 */
@NullMarked
package org.weft.decomposition.completion;

import org.jspecify.annotations.NullMarked;
