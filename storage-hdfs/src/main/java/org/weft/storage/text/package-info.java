/**
 * Text formats: FROSTT {@code .tns}, Matrix Market {@code .mtx}, Harwell-Boeing and
 * Rutherford-Boeing. {@link org.weft.storage.text.LineBuffer} hands out runs of whole lines of a
 * split, {@link org.weft.storage.text.CoordinateReader} turns them into columns; read those two
 * first.
 *
 * <p>Invariants: no object per entry and no string per token on the way in; every number read is
 * the double nearest to its text, every number written is the shortest text that reads back as the
 * same double; a line longer than {@link org.weft.storage.text.LineBuffer#CAPACITY} is an error,
 * not memory (unless it is a comment).
 */
@NullMarked
package org.weft.storage.text;

import org.jspecify.annotations.NullMarked;
