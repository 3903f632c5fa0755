/**
 * Lowering: from tensor algebra to loops.
 *
 * <p>{@link org.weft.compiler.lower.Lowering} is the flat list of passes. The last of them, {@code
 * LoopNest}, follows Chou et al., figure 9: it recurs over the index variables in loop order, asks
 * for the merge lattice of the expression at each, and has {@code MergeLoops} emit the loops. Where
 * values go is a {@code Sink}: memory, a register, a touched-coordinate list, or a result that is
 * appended. Invariants: no class here names a level format, only capabilities and properties; code
 * for a case sees only the operands present in it; a coordinate of a sparse result is stored only
 * when a value below it is. Read {@code Lowering}, then {@code LoopNest}.
 */
@NullMarked
package org.weft.compiler.lower;

import org.jspecify.annotations.NullMarked;
