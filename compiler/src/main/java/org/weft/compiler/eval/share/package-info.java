/**
 * Products that several statements of a program contain: which there are, and which pay to be
 * computed once. Read {@link org.weft.compiler.eval.share.SharedProducts} first.
 */
@NullMarked
package org.weft.compiler.eval.share;

import org.jspecify.annotations.NullMarked;
