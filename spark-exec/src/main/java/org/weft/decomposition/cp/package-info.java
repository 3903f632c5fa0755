/**
 * CP decompositions by least squares: {@link org.weft.decomposition.cp.AlternatingLeastSquares} and
 * its updates of a factor, with constraints too, and {@link
 * org.weft.decomposition.cp.StreamingUpdate} for new slices of a tensor that has a model. Read
 * {@link org.weft.decomposition.cp.AlternatingLeastSquares} first.
 */
@NullMarked
package org.weft.decomposition.cp;

import org.jspecify.annotations.NullMarked;
