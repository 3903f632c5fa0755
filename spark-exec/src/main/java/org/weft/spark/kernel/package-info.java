/**
 * Compiled kernels in Spark tasks. {@link org.weft.spark.kernel.KernelCall} is the executor's view
 * of one step of a plan: which kernel, which operands, how many threads; it contains no class of
 * the compiler. {@link org.weft.spark.kernel.DenseStep} runs it for results that are rows, {@link
 * org.weft.spark.kernel.SparseStep} for results that are entries.
 */
@NullMarked
package org.weft.spark.kernel;

import org.jspecify.annotations.NullMarked;
