/**
 * Loop IR to a shared library in memory: LLVM IR, LLVM's optimiser, an object, and a link, which is
 * that of {@code elf} or the bundled lld's. The only package that knows LLVM.
 *
 * <p>{@link org.weft.compiler.llvm.CodeGenerator} is the pipeline in one place. Under it, {@code
 * LibraryModules} are the modules of a library, compiled with more and less {@code Effort}, {@code
 * ModuleContext} owns an LLVM module, {@code Frame} is one LLVM function in the making (a kernel,
 * or a task outlined from a parallel loop), {@code StatementEmitter} and {@code ExpressionEmitter}
 * walk the loop IR, {@code VectorLoops} turns short constant vector loops into straight-line vector
 * code, and {@code ParallelLoops} and {@code GatherLoops} outline. {@code UnpredictableSelects}
 * runs after LLVM's passes. Invariants: every LLVM object belongs to one {@code ModuleContext} and
 * dies with it; LLVM is loaded on first use, so that a hit in the kernel cache never loads it;
 * whatever LLVM reports arrives as {@code WeftException(COMPILER_FAILURE)}.
 */
@NullMarked
package org.weft.compiler.llvm;

import org.jspecify.annotations.NullMarked;
