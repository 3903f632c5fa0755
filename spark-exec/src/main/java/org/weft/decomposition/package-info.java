/**
 * Decompositions. A {@link org.weft.decomposition.Method} is statements over a sparse tensor, which
 * {@link org.weft.decomposition.RowProducts} run, and the steps between them: {@link
 * org.weft.decomposition.Tucker}.
 *
 * <p>CP decomposition runs wherever the factors are. {@link
 * org.weft.decomposition.AlternatingLeastSquares} is the algorithm, on {@link
 * org.weft.decomposition.FactorUpdates}: all that is R x R, with {@link
 * org.weft.decomposition.NormalEquations} on EJML. {@link org.weft.decomposition.FactorSteps} is
 * what a backend does: all that has a mode's size. No Spark here. All sums have a fixed order: the
 * same MTTKRPs give the same bits, whatever the number of threads.
 */
@NullMarked
package org.weft.decomposition;

import org.jspecify.annotations.NullMarked;
