/**
 * Loop IR: structured imperative loops over flat buffers, the seam between lowering and code
 * generation.
 *
 * <p>A {@link org.weft.compiler.loop.LoopFunction} is one kernel: the signature of its argument
 * block, the buffers bound to slots of that block, and a body of {@link org.weft.compiler.loop.Stmt
 * statements} over {@link org.weft.compiler.loop.Expr expressions}. Invariants: nodes are immutable
 * and typed on construction; positions, coordinates and counts are I64 in registers whatever their
 * width in memory; every variable has one declaration and a name that is unique in the function.
 * {@link org.weft.compiler.loop.LoopChecker} holds what a single node cannot know, {@link
 * org.weft.compiler.loop.LoopPrinter} prints a function as C-like text that is equal for equal
 * functions. Read {@code Stmt} first.
 */
@NullMarked
package org.weft.compiler.loop;

import org.jspecify.annotations.NullMarked;
