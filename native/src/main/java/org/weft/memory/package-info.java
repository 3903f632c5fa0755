/**
 * Memory off the Java heap. Every block has an owner, a {@link org.weft.memory.MemoryScope}; scopes
 * form a tree and closing one frees everything below it. Garbage collection never frees anything.
 * {@link org.weft.memory.NativeArray} is the typed view that the rest of Weft passes around; a
 * {@link org.weft.memory.MemorySource} says where the bytes come from: malloc, pages that Spark
 * accounts for, or blocks that are used again ({@link org.weft.memory.ReusedMemory}).
 */
@NullMarked
package org.weft.memory;

import org.jspecify.annotations.NullMarked;
