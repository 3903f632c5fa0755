package org.weft.compiler.program;

import java.util.function.Consumer;
import org.weft.compiler.lang.Program;
import org.weft.compiler.program.space.TensorSpace;

/**
 * What all functions of a running program share.
 *
 * @param output takes what the program prints
 * @param notes takes what is explained of the run, in lines
 * @param limits of what statements share
 */
record Environment(
    Program program,
    TensorSpace space,
    Inputs inputs,
    Consumer<String> output,
    Consumer<String> notes,
    SharingLimits limits) {}
