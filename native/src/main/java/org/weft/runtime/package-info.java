/**
 * Loading and calling compiled kernels, and the native task runtime that they run on.
 *
 * <p>The driver makes a {@link org.weft.runtime.KernelImage}; an executor opens it as a {@link
 * org.weft.runtime.KernelLibrary} and calls its {@link org.weft.runtime.Kernel}s. Read {@code
 * Kernel} first.
 *
 * <h2>The call</h2>
 *
 * A kernel is {@code void kernel(int64_t *args)}. The argument block holds one 64-bit slot per
 * fact; {@link org.weft.runtime.KernelSignature} lists the slots. Slots 0 to 2 are the runtime
 * table, the status and its detail. The block, the table and the ownership of every array are
 * specified in {@code weft_runtime.h}, which is the contract between this package, the compiler and
 * the C++ runtime.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>Bytes that do not have the plan's SHA-256, or need a CPU that this host is not, are never
 *       opened.
 *   <li>A library is opened once per process and hash, and stays mapped for the life of the
 *       process: an address taken from it is always good.
 *   <li>Inputs and dense outputs are borrowed for the call. The arrays of a sparse output belong to
 *       the output scope when {@code run} returns, and are freed when it throws.
 * </ul>
 */
@NullMarked
package org.weft.runtime;

import org.jspecify.annotations.NullMarked;
