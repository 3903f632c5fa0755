/**
 * The recursion over the index variables (Chou et al., figure 9), and the temporaries that the
 * recursion makes on its way.
 *
 * <p>{@link LoopNest} emits a loop, a reduction, or a part of the expression into a temporary.
 * {@link FusedLoops} walks several levels of an operand in one loop. {@link Temporaries} chooses
 * among a register, a dense workspace, a sorted list and the cells of a mask. {@link PrivateSums}
 * gives parallel iterations cells of their own. Read {@link LoopNest} first.
 */
@NullMarked
package org.weft.compiler.lower.nest;

import org.jspecify.annotations.NullMarked;
