/**
 * The driver's part of CP decomposition: alternating least squares over MTTKRPs that a backend
 * computes. {@link org.weft.decomposition.AlternatingLeastSquares} is the algorithm; {@link
 * org.weft.decomposition.GramMatrix} and {@link org.weft.decomposition.NormalEquations} its linear
 * algebra, which comes from EJML. No Spark here. All sums have a fixed order: the same MTTKRPs give
 * the same bits, whatever the number of threads.
 */
@NullMarked
package org.weft.decomposition;

import org.jspecify.annotations.NullMarked;
