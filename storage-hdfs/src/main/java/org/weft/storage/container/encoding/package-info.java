/**
 * How blocks of a level's array are encoded in a container's data files. Read {@link
 * org.weft.storage.container.encoding.ArrayEncoding}, which lists the encodings.
 *
 * <p>Invariants: an encoding works on off-heap memory that its caller owns, and refuses bytes that
 * are no block of it.
 */
@NullMarked
package org.weft.storage.container.encoding;

import org.jspecify.annotations.NullMarked;
