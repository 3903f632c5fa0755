/**
 * Objects of kernels to a shared library, in memory: what {@code lld} does, for the few parts of
 * ELF that kernels have. The only package that knows ELF, and it knows nothing of LLVM.
 *
 * <p>Read {@link org.weft.compiler.elf.ElfLinker} first. Invariant: an object that needs more than
 * this package knows is refused, never linked wrongly; {@code lld} links it then.
 */
@NullMarked
package org.weft.compiler.elf;

import org.jspecify.annotations.NullMarked;
