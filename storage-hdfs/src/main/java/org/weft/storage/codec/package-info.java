/**
 * Compressed bytes of whole files: gzip, bzip2 and zstd. Reading verifies every check sum, and
 * damage is an error that names the file; {@link org.weft.storage.codec.Bzip2Source} also reads a
 * part of a file, from one of its blocks on. Writing ({@link
 * org.weft.storage.codec.ParallelCompressor}) uses all cores.
 */
@NullMarked
package org.weft.storage.codec;

import org.jspecify.annotations.NullMarked;
