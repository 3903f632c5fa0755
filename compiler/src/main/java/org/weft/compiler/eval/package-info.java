/**
 * Evaluates one statement in this process: operands and result are stored tensors.
 *
 * <p>{@link org.weft.compiler.eval.Evaluator} checks labels against shapes, plans the statement,
 * compiles its kernels and runs them. Invariants: operands are borrowed and never changed; the
 * result is the caller's; whatever else was allocated is freed before a call returns, also when it
 * throws. Read {@code Evaluator}, then {@code StatementInput}.
 */
@NullMarked
package org.weft.compiler.eval;

import org.jspecify.annotations.NullMarked;
