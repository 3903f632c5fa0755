/**
 * Relabelling of tensors for locality: {@link org.weft.reorder.Permutation} is a relabelling of one
 * mode, a {@link org.weft.reorder.Reorderer} proposes one for every mode, {@link
 * org.weft.reorder.LocalityMetrics} says what it is worth. Start with {@link
 * org.weft.reorder.Reorderers}, which names them all.
 *
 * <p>Invariant: relabelling loses nothing; a permutation and its inverse restore every coordinate.
 */
@NullMarked
package org.weft.reorder;

import org.jspecify.annotations.NullMarked;
