/**
 * Runs programs of the tensor language.
 *
 * <p>{@link org.weft.compiler.program.ProgramRunner} parses a program, checks it ({@link
 * org.weft.compiler.program.check.ProgramChecker}: everything that is wrong without looking at
 * data), and executes its steps. Where the tensors lie is the matter of a {@link
 * org.weft.compiler.program.space.TensorSpace}: {@code StoredSpace} holds them as storages in one
 * memory scope and evaluates statements by {@link org.weft.compiler.eval.Evaluator}; other spaces
 * keep tensors in parts on a cluster. {@code TensorPrinter} prints what COMET prints. Files come
 * through {@link org.weft.compiler.program.space.ProgramFiles}: this package knows no file system.
 *
 * <p>Invariants: a printed tensor has the format of its declaration; an error in a step names the
 * step's place in the program; a run frees what it allocated. Read {@code ProgramRunner}, then
 * {@code Execution}.
 */
@NullMarked
package org.weft.compiler.program;

import org.jspecify.annotations.NullMarked;
