/**
 * Tensor algebra: typed index-notation expressions with explicit reductions, and the rewrite rules
 * on them. Reductions, unions and intersections carry an {@link
 * org.weft.compiler.algebra.Operator}, and a rewrite applies where that operator obeys its law.
 *
 * <p>{@link org.weft.compiler.algebra.AlgebraBuilder} checks a parsed statement against the formats
 * of its tensors and places the implicit reductions; each {@link
 * org.weft.compiler.algebra.RewriteRule} is one class whose documentation is the law. Invariants:
 * every index variable is either free (a label of the result) or bound by exactly one {@code
 * Reduce}; every access has its own id, so the same tensor may occur several times. Read {@link
 * org.weft.compiler.algebra.TensorExpr} first.
 */
@NullMarked
package org.weft.compiler.algebra;

import org.jspecify.annotations.NullMarked;
