/**
 * Models of tensors whose missing entries are unknown and not zero: {@link
 * org.weft.decomposition.completion.Completion} keeps the best model of its {@link
 * org.weft.decomposition.completion.Solver}, of which there are three.
 */
@NullMarked
package org.weft.decomposition.completion;

import org.jspecify.annotations.NullMarked;
