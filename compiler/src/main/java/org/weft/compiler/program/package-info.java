/**
 * Runs programs of the tensor language in this process.
 *
 * <p>{@link org.weft.compiler.program.ProgramRunner} parses a program, checks it ({@code
 * ProgramChecker}: everything that is wrong without looking at data), and executes its steps:
 * tensors are stored tensors in one memory scope, every expression goes through {@link
 * org.weft.compiler.eval.Evaluator}, and {@code TensorPrinter} prints what COMET prints. Files come
 * through {@link org.weft.compiler.program.ProgramFiles}: this package knows no file system.
 *
 * <p>Invariants: a tensor's storage always has the format of its declaration; an error in a step
 * names the step's place in the program; a run frees what it allocated. Read {@code ProgramRunner},
 * then {@code Execution}.
 */
@NullMarked
package org.weft.compiler.program;

import org.jspecify.annotations.NullMarked;
