/**
 * Which rows a kernel should prefetch, from samples of the coordinates that choose the rows. Read
 * {@link org.weft.compiler.eval.prefetch.PrefetchChoice} first.
 */
@NullMarked
package org.weft.compiler.eval.prefetch;

import org.jspecify.annotations.NullMarked;
