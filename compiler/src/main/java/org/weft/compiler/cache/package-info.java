/**
 * Compiled libraries kept on disk between processes. {@link org.weft.compiler.cache.CacheKey} says
 * when two compilations are the same, before anything is lowered; {@link
 * org.weft.compiler.cache.LibraryCache} stores libraries with their signatures. Neither loads LLVM.
 */
@NullMarked
package org.weft.compiler.cache;

import org.jspecify.annotations.NullMarked;
