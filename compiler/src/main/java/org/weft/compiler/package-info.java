/**
 * The entry of the compiler: {@link org.weft.compiler.TensorCompiler} turns requests into one
 * shared library of kernels. A request is an expression in index notation with formats and a
 * schedule.
 *
 * <p>Pipeline: {@code lang} (text to syntax), {@code algebra} (typed tensor algebra), {@code graph}
 * (iteration graph), {@code lattice} (merge lattices), {@code lower} (loop IR; level formats in
 * {@code level}), {@code loop} (loop IR itself), {@code llvm} (machine code), {@code cache}. Only
 * {@code llvm} knows LLVM.
 */
@NullMarked
package org.weft.compiler;

import org.jspecify.annotations.NullMarked;
