/**
 * How the outermost loop is divided among tasks.
 *
 * <p>Tasks get equal numbers of stored entries ({@link Chain} counts the entries). A heavy
 * iteration is shared by tasks ({@link SharedIterations}). An appended result is gathered from
 * pieces ({@link AppendingPieces}), or written in place where its structure is known ({@link
 * PlacedResult}). The same call gives the same bits on any number of threads. Read {@link
 * TaskLoops} first.
 */
@NullMarked
package org.weft.compiler.lower.task;

import org.jspecify.annotations.NullMarked;
