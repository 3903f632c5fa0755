/**
 * Lowering: from tensor algebra to loops.
 *
 * <p>{@link org.weft.compiler.lower.Lowering} is the flat list of passes. Each pass is in a package
 * of one idea, and arrows go one way: {@code rewrite}, {@code operand}, {@code sink}, {@code
 * schedule}, {@code merge}, {@code task}, {@code nest}, where a package uses those before it only.
 * {@code panel} uses {@code operand} only. Invariants: no class here names a level format, only
 * capabilities and properties; code for a case sees only the operands present in it; a coordinate
 * of a sparse result is stored only when a value below it is. Read {@code Lowering}, then {@code
 * LoopNest}.
 */
@NullMarked
package org.weft.compiler.lower;

import org.jspecify.annotations.NullMarked;
