package org.weft.compiler.program;

import java.util.function.Consumer;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Program;

/**
 * What all functions of a running program share.
 *
 * @param output takes what the program prints
 * @param statements takes each statement before it is evaluated
 */
record Environment(
    Program program,
    Evaluator evaluator,
    Inputs inputs,
    ProgramFiles files,
    Consumer<String> output,
    Consumer<StatementInput> statements) {}
