/**
 * Merge lattices as set algebra: which levels one loop has to iterate together.
 *
 * <p>An {@link org.weft.compiler.lattice.IterationSet} says where an expression is present, in
 * unions and intersections of operands; a {@link org.weft.compiler.lattice.MergeLattice} lists the
 * loops and cases that visit that set (Chou et al., sections 4.1, 4.2 and 4.4). Nothing here knows
 * formats, only {@link org.weft.compiler.lattice.LatticeOperand} traits.
 */
@NullMarked
package org.weft.compiler.lattice;

import org.jspecify.annotations.NullMarked;
