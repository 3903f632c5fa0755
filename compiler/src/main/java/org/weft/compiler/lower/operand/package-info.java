/**
 * Where operands come from: arrays and levels of the tensors of a kernel, and what is known of each
 * operand at a place in the loops.
 *
 * <p>{@link KernelTensors} binds the arguments of the kernel. {@link Scope} is immutable: an inner
 * loop gets a scope of its own, so that code for one case never sees what holds in another. {@link
 * Values} makes scalar code of an expression all of whose accesses are resolved. Read {@link Scope}
 * first.
 */
@NullMarked
package org.weft.compiler.lower.operand;

import org.jspecify.annotations.NullMarked;
