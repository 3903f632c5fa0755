/**
 * Ahead-of-time compilation: one statement to a shared library with a C interface, a header and a
 * Python module, which need neither a JVM nor anything else of Weft.
 *
 * <p>A library holds the kernel for 32-bit and for 64-bit indices, the task runtime, and a constant
 * that tells the runtime's {@code ahead.cpp} how to call the kernels ({@link
 * org.weft.compiler.ahead.Glue}). All three files say the same about the tensors: {@link
 * org.weft.compiler.ahead.Interface} is where that is decided, and the class to read first.
 */
@NullMarked
package org.weft.compiler.ahead;

import org.jspecify.annotations.NullMarked;
